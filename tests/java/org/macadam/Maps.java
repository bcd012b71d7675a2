package org.macadam;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The maps that the tests open. */
final class Maps {
    static final int GRID_SIDE = 150;
    private static final Path FOLDER = Path.of(System.getProperty("macadam.test.folder"));

    private Maps() {}

    /** examples/town.osm, with the profiles car and foot. */
    static synchronized Path town() {
        final Path map = FOLDER.resolve("town.mcd");
        if (!Files.exists(map))
            run("import", System.getProperty("macadam.test.town"), "--profile", "car", "--profile", "foot", "-o", map.toString());
        return map;
    }

    /** A square of GRID_SIDE x GRID_SIDE junctions, numbered from 1. The duration of each arc is 1 to 7. */
    static synchronized Path grid() throws IOException {
        final Path map = FOLDER.resolve("grid.mcd");
        if (Files.exists(map)) return map;
        final Path graph = FOLDER.resolve("grid.gr");
        final int side = GRID_SIDE;
        try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(graph))) {
            out.println("p sp " + side * side + " " + 4 * side * (side - 1));
            for (int node = 1; node <= side * side; ++node) {
                if (node % side != 0) arcs(out, node, node + 1);
                if (node + side <= side * side) arcs(out, node, node + side);
            }
        }
        run("import", "--weight", "duration=" + graph, "-o", map.toString());
        return map;
    }

    private static void arcs(PrintWriter out, int tail, int head) {
        out.println("a " + tail + " " + head + " " + (1 + (tail * 31 + head) % 7));
        out.println("a " + head + " " + tail + " " + (1 + (head * 31 + tail) % 7));
    }

    /** Runs the command macadam. */
    private static void run(String... arguments) {
        final List<String> command = new ArrayList<>(List.of(System.getProperty("macadam.test.command")));
        command.addAll(List.of(arguments));
        command.add("--quiet");
        run(command);
    }

    static void run(List<String> command) {
        try {
            final int status = new ProcessBuilder(command).inheritIO().start().waitFor();
            if (status != 0) throw new IllegalStateException(command + " ended with status " + status);
        } catch (IOException | InterruptedException exception) {
            throw new IllegalStateException(exception);
        }
    }
}
