package org.macadam;

import java.nio.charset.StandardCharsets;
import org.macadam.v1.RouteReply;
import org.macadam.v1.RouteRequest;
import org.macadam.v1.Status;
import org.macadam.v1.Units;

/**
 * A navigation session: follows one traveller along one route, as {@code macadam_guide} of macadam.h does. It has neither a clock
 * nor threads; the same positions give the same states. Calls of several threads wait for each other.
 * Texts need the engine to be open; the rest does not.
 */
public final class Guide implements AutoCloseable {
    private final Engine engine;
    private final RouteRequest request;
    private final RouteReply route;
    private long handle; // 0: closed

    Guide(Engine engine, long handle, RouteRequest request, RouteReply route) {
        this.engine = engine;
        this.handle = handle;
        this.request = request;
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
     * Writes a step as a sentence: "Turn left". Its language and whether it names lanes are those of the route's request.
     *
     * @param step the number of the step
     * @return the sentence
     */
    public String text(int step) {
        return text(step, Units.UNITS_NONE, 0);
    }

    /**
     * Writes a step as a sentence, with the distance to its maneuver in the units of the route's request: "In 200 m, turn left".
     *
     * @param step the number of the step
     * @param distanceM how far the maneuver is, such as {@link GuideState#stepM}; 0: as far as from the maneuver before
     * @return the sentence
     */
    public String text(int step, double distanceM) {
        return text(step, request.getUnits(), distanceM);
    }

    private String text(int step, Units units, double distanceM) {
        if (step < 0) throw NativeLibrary.failure(Status.STATUS_INVALID, "the route has no step " + step);
        final byte[] language = request.getLanguage().isEmpty() ? null : NativeLibrary.text(request.getLanguage());
        engine.enter(); // names of roads are the engine's; first, because callbacks hold the engine when they use the guide
        try {
            synchronized (this) {
                return new String(
                        NativeLibrary.guideText(open(), step, language, units.getNumber(), request.getLanePhrases(), distanceM),
                        StandardCharsets.UTF_8);
            }
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
