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

    /** A driver leaves for a field, where the nearest road has another direction; later, no road is near. */
    @Test
    public void navigateGoesOnAfterAFailedReroute() throws Exception {
        final String drive =
                """
                final class Leave {
                    public static void main(String[] arguments) {
                        try (Engine engine = Engine.open(Path.of(arguments[0]));
                                Navigate app = new Navigate(engine, 10.0078, 50.0021)) {
                            for (int i = 0; i < 8; ++i) app.moved(new Position(10.0042 + 0.00014 * i, 50.0026, i, 5, 90, 10, 10));
                            for (int i = 8; i < 12; ++i) app.moved(new Position(10.0228, 50.0029, i, 5, 156, 10, 10));
                            try {
                                for (int i = 18; i < 26; ++i) app.moved(new Position(11, 51, i, 5, 45, 10, 10));
                            } catch (MacadamException none) {
                                System.out.println(none.status());
                            }
                            for (int i = 26; i < 36; ++i) app.moved(new Position(9.9966 + 0.00014 * i, 50, i, 5, 90, 10, 10));
                        }
                    }
                }
                """;
        final String example = Files.readString(ROOT.resolve("examples/java/Navigate.java"));
        final Path source = Maps.town().resolveSibling("Leave.java");
        Files.writeString(source, example.replaceFirst("(?=final class Navigate)", drive));
        assertEquals(
                """
                route: 43 s
                  0 s: Head east on Church Street
                  1 s: In 250 m, turn right onto East Street
                 10 s: off the route
                route: 45 s
                 11 s: Head west
                 20 s: off the route
                STATUS_NOT_FOUND
                 26 s: off the route
                route: 99 s
                 27 s: Head east on Mill Lane
                 29 s: In 100 m, turn left onto King Street
                 35 s: Turn left onto King Street
                """,
                run(source));
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
