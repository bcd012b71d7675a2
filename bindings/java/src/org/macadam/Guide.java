package org.macadam;

import java.nio.charset.StandardCharsets;
import org.macadam.v1.RouteReply;
import org.macadam.v1.Units;

/**
 * A navigation session: follows one traveller along one route, as {@code macadam_guide} of macadam.h does. It has neither a clock
 * nor threads; the same positions give the same states. Calls of several threads wait for each other.
 */
public final class Guide implements AutoCloseable {
    private final Engine engine;
    private final RouteReply route;
    private long handle; // 0: closed

    Guide(Engine engine, long handle, RouteReply route) {
        this.engine = engine;
        this.handle = handle;
        this.route = route;
    }

    /**
     * Returns the route that the traveller follows.
     *
     * @return the route, with its steps
     */
    public RouteReply route() {
        return route;
    }

    /**
     * Takes the next position of the traveller.
     *
     * @param position where he is
     * @return where that is on the route, and what comes next
     */
    public synchronized GuideState move(Position position) {
        return GuideState.of(NativeLibrary.guideMove(open(), position.numbers()));
    }

    /**
     * Writes a step as a sentence, with the distance to its maneuver: "In 200 m, turn left". The engine must be open.
     *
     * @param step the number of the step
     * @param language its language, by ISO 639-1: "en", ...
     * @param units the units of the distance; UNITS_NONE: the sentence has none
     * @param distanceM how far the maneuver is, such as {@link GuideState#stepM}; 0: as far as from the maneuver before
     * @return the sentence
     */
    public synchronized String text(int step, String language, Units units, double distanceM) {
        engine.enter();
        try {
            final byte[] text =
                    NativeLibrary.guideText(
                            open(), step, NativeLibrary.text(language), units.getNumber(), false, distanceM);
            return new String(text, StandardCharsets.UTF_8);
        } finally {
            engine.leave();
        }
    }

    /** Ends the session. Ending it again does nothing. */
    @Override
    public synchronized void close() {
        NativeLibrary.guideClose(handle);
        handle = 0;
    }

    private long open() {
        if (handle == 0) throw new IllegalStateException("the guide is closed");
        return handle;
    }
}
