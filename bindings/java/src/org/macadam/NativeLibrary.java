package org.macadam;

import com.google.protobuf.InvalidProtocolBufferException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import java.util.function.Consumer;
import org.macadam.v1.Reply;
import org.macadam.v1.Status;

/**
 * The native library, bindings/java/native/java_native.c. It is loaded from the first of: the file that the property
 * macadam.library names, java.library.path, the jar's folder for this platform.
 */
final class NativeLibrary {
    static {
        load();
    }

    private NativeLibrary() {}

    static native byte[] version();

    static native long open(
            byte[] path,
            byte[] device,
            byte[] profile,
            int threads,
            long memoryLimit,
            boolean trustFile,
            boolean readFile,
            Progress progress);

    static native void close(long engine);

    /** Returns a serialized Reply, which holds the failure if there is one; throws only what `part` or `progress` throws. */
    static native byte[] call(long engine, byte[] request, Consumer<Reply> part);

    /** The same, but writes costs to the buffers, from their beginnings on. */
    static native byte[] callInto(long engine, byte[] request, ByteBuffer[] costs);

    /** No value of a route is its duration: MACADAM_QUANTITIES_MAX. */
    static final int NO_DURATION = 2;

    /** The value of a route is that of the profile's first metric, which may be the duration. */
    static final int DURATION_OF_FIRST_METRIC = -1;

    /** Returns a serialized Reply with a route, and sets guide[0] to a session along it, unless there is no route. */
    static native byte[] guideOpen(long engine, byte[] request, byte[] profile, double[] options, long[] guide);

    static native void guideClose(long guide);

    static native double[] guideMove(long guide, double[] position);

    static native byte[] guideText(long guide, int step, byte[] language, int units, boolean lanes, double distanceM);

    /** Text for the native library, which reads it up to its first NUL. */
    static byte[] text(String text) {
        if (text == null) return null;
        if (text.indexOf('\0') >= 0) throw new IllegalArgumentException("a text contains NUL: " + text);
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** The native library calls it when a call fails without a Reply. */
    private static RuntimeException failure(int status, byte[] message) {
        return failure(Status.forNumber(status), new String(message, StandardCharsets.UTF_8));
    }

    static RuntimeException failure(Status status, String message) {
        if (status == Status.STATUS_CANCELLED) return new CancelledException(message);
        return new MacadamException(status == null ? Status.UNRECOGNIZED : status, message);
    }

    /** The native library calls it while a call runs. */
    private static boolean report(Progress progress, String phase, long done, long total) {
        if (Thread.currentThread().isInterrupted()) return false;
        return progress == null || progress.report(phase, done, total);
    }

    /** The native library calls it for each part of a streamed answer. */
    private static void take(Consumer<Reply> part, byte[] reply) throws InvalidProtocolBufferException {
        part.accept(Reply.parseFrom(reply));
    }

    private static void load() {
        final String path = System.getProperty("macadam.library");
        if (path != null) {
            System.load(new File(path).getAbsolutePath());
            return;
        }
        try {
            System.loadLibrary("macadam_java");
        } catch (UnsatisfiedLinkError elsewhere) {
            try {
                loadFromJar(platform() + "/" + System.mapLibraryName("macadam_java"));
            } catch (IOException | UnsatisfiedLinkError error) {
                error.addSuppressed(elsewhere);
                final UnsatisfiedLinkError failure = new UnsatisfiedLinkError(error.getMessage());
                failure.initCause(error);
                throw failure;
            }
        }
    }

    /** Names this platform as the jar's folders are named: "linux-x86-64", "linux-aarch64", "macos-aarch64", ... */
    static String platform() {
        final String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        final String processor = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        return (system.startsWith("mac") ? "macos" : system.startsWith("windows") ? "windows" : system)
                + "-"
                + (processor.equals("amd64") || processor.equals("x86_64") ? "x86-64" : processor);
    }

    private static void loadFromJar(String name) throws IOException {
        try (InputStream from = NativeLibrary.class.getResourceAsStream(name)) {
            if (from == null) throw new IOException("the jar of Macadam has no native library " + name);
            final Path file = Files.createTempFile("macadam", name.substring(name.lastIndexOf('.')));
            try {
                Files.copy(from, file, StandardCopyOption.REPLACE_EXISTING);
                System.load(file.toString());
            } finally {
                file.toFile().deleteOnExit(); // Windows does not delete a library in use
                if (!platform().startsWith("windows")) Files.delete(file);
            }
        }
    }
}
