package org.macadam;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.Test;

/** The examples and the page print what they say. */
public final class ExamplesTest {
    private static final Path ROOT = Path.of(System.getProperty("macadam.test.root"));

    /** Runs a source file, with the jar only, in the folder of the maps. */
    private static String run(Path source, String... options) throws Exception {
        final Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        final String path = System.getProperty("macadam.test.jars");
        final ProcessBuilder builder = new ProcessBuilder(java.toString(), "-Xcheck:jni", "-cp", path);
        builder.command().addAll(List.of(options));
        builder.command().addAll(List.of(source.toString(), "town.mcd"));
        builder.directory(Maps.town().getParent().toFile()).redirectErrorStream(true);
        final Process process = builder.start();
        final String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(printed, 0, process.waitFor());
        return printed;
    }

    @Test
    public void navigatePrintsWhatItsCommentSays() throws Exception {
        final Path source = ROOT.resolve("examples/java/Navigate.java");
        final Matcher comment = Pattern.compile(" \\* Prints:\n((?: \\*     .*\n)+)").matcher(Files.readString(source));
        assertTrue(comment.find());
        assertEquals(comment.group(1).replace(" *     ", ""), run(source));
    }

    @Test
    public void pageShowsWhatItsProgramPrints() throws Exception {
        final String page = Files.readString(ROOT.resolve("bindings/java/README.md"));
        final Matcher blocks = Pattern.compile("```java\n(.*?)```\n```text\n(.*?)```", Pattern.DOTALL).matcher(page);
        assertTrue(blocks.find());
        final Path source = Maps.town().resolveSibling("Page.java");
        Files.writeString(source, program(blocks.group(1)));
        assertEquals(blocks.group(2), run(source));
    }

    private static String program(String statements) {
        return "import java.nio.file.Path; import org.macadam.*; import org.macadam.v1.*;\n"
                + "class Page { public static void main(String[] arguments) {\n" + statements + "}}\n";
    }

    /** The library is that of the property, if there is one; otherwise an error names the file. */
    @Test
    public void propertyNamesTheLibrary() throws Exception {
        final Path source = Maps.town().resolveSibling("Version.java");
        Files.writeString(source, program("System.out.println(Engine.version());"));
        final String library = System.getProperty("macadam.test.library");
        assertEquals(Engine.version() + "\n", run(source, "-Dmacadam.library=" + library));
        assertEquals(Engine.version() + "\n", run(source, "-Djava.library.path=" + Path.of(library).getParent()));
        final AssertionError failure =
                assertThrows(AssertionError.class, () -> run(source, "-Dmacadam.library=/none.so"));
        assertTrue(failure.getMessage(), failure.getMessage().contains("UnsatisfiedLinkError: Can't load library: /none.so"));
    }
}
