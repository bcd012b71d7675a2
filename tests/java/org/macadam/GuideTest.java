package org.macadam;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.util.concurrent.atomic.AtomicReference;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.macadam.v1.Query;
import org.macadam.v1.RouteReply;
import org.macadam.v1.RouteRequest;
import org.macadam.v1.Status;
import org.macadam.v1.Units;

/** A guide follows a traveller from 11 over 12 to 22: east on Mill Lane, then left into King Street. */
public final class GuideTest {
    private static final Query BOTH = Query.newBuilder().addQuantity("distance").addQuantity("duration").build();
    private static final RouteRequest REQUEST =
            RouteRequest.newBuilder().setWaypoint(Engine.points(10.0002, 50, 10.002, 50.0010)).setUnits(Units.UNITS_METRIC).build();
    private Engine engine;

    @Before
    public void open() {
        engine = Engine.open(Maps.town());
    }

    @After
    public void close() {
        engine.close();
    }

    private Guide guide() {
        return engine.guide(BOTH, REQUEST, new GuideOptions().accuracyM(4).speakBefore(20, 10, 3));
    }

    @Test
    public void statesFollowTheTraveller() {
        try (Guide guide = guide()) {
            final RouteReply route = guide.route();
            final double metres = route.getValue(0) / 100.0, seconds = route.getValue(1) / 1000.0;
            double left = metres;
            int spoken = 0;
            for (int second = 0; second < 12; ++second) {
                final double lon = 10.0003 + 0.000139 * second;
                final GuideState state = guide.move(new Position(lon, 50.00001, second, 5, 90, 10, 10));
                assertEquals(GuideState.Status.ON_ROUTE, state.status());
                assertEquals(lon, state.lon(), 1e-6);
                assertEquals(50, state.lat(), 1e-6);
                assertEquals(1.1, state.distanceM(), 0.1);
                assertEquals(metres, state.travelledM() + state.leftM(), 0.1);
                assertTrue(state.leftM() < left && state.leftS() < seconds && state.leftS() > 0);
                assertEquals(state.leftM(), state.legLeftM(), 0.01); // there is one leg
                assertEquals(state.leftS(), state.legLeftS(), 0.01);
                assertTrue(state.arc() < route.getArc().getNumberCount() && state.along() > 0 && state.along() < 1);
                assertTrue(state.stepM() < state.leftM() && state.stepS() < state.leftS());
                assertEquals(state.say() == GuideState.Say.SILENT, state.firstSaid() == state.endSaid());
                assertEquals(0, state.leg());
                if (second > 0) assertEquals("Turn left onto King Street", guide.text(state.step()));
                assertEquals(lon, state.again().getLon(0), 1e-9);
                assertEquals(90, state.again().getHeading(0), 1e-9);
                left = state.leftM();
                spoken += state.endSaid() - state.firstSaid();
            }
            assertTrue(spoken >= 2);
            assertTrue(guide.text(1, 100).startsWith("In 100 m, turn left"));
        }
    }

    @Test
    public void textsAreInTheLanguageOfTheRequest() {
        final RouteRequest german = REQUEST.toBuilder().setLanguage("de").setUnits(Units.UNITS_NONE).build();
        try (Guide guide = engine.guide(BOTH, german, new GuideOptions())) {
            assertTrue(guide.text(1), guide.text(1).contains("links auf King Street"));
            assertEquals(guide.route().getStep(1).getText(), guide.text(1));
            assertEquals(guide.text(1), guide.text(1, 100)); // no units
        }
    }

    @Test
    public void leavingTheRouteLeadsToAnother() {
        try (Guide guide = guide()) {
            GuideState state = null;
            for (int second = 0; second < 20; ++second) // north on West Street
                state = guide.move(new Position(10, 50.0002 + 0.00009 * second, second, 5, 0, 10, 10));
            assertEquals(GuideState.Status.OFF_ROUTE, state.status());
            final RouteRequest again = RouteRequest.newBuilder().setWaypoint(state.again(10.002, 50.0010)).build();
            try (Guide other = engine.guide(BOTH, again, new GuideOptions())) {
                assertTrue(other.route().getFound());
            }
        }
    }

    /** A thread in text() has the engine before it waits for the guide, so that a callback, which has the engine, may wait too. */
    @Test
    public void textTakesTheEngineFirst() throws Exception {
        try (Guide guide = guide()) {
            final AtomicReference<Object> said = new AtomicReference<>();
            final Thread speaker =
                    new Thread(
                            () -> {
                                try {
                                    said.set(guide.text(1));
                                } catch (RuntimeException exception) {
                                    said.set(exception);
                                }
                            });
            final Thread closer = new Thread(engine::close);
            synchronized (guide) {
                speaker.start();
                while (speaker.getState() != Thread.State.BLOCKED) Thread.sleep(1);
                closer.start();
                while (closer.getState() != Thread.State.WAITING && closer.isAlive()) Thread.sleep(1);
            }
            speaker.join();
            closer.join();
            assertEquals("Turn left onto King Street", said.get());
        }
    }

    private double secondsLeft(Query query) {
        try (Guide guide = engine.guide(query, REQUEST, new GuideOptions())) {
            return guide.move(new Position(10.0005, 50, 0)).leftS();
        }
    }

    @Test
    public void secondsAreThoseOfTheProfile() {
        final double car = secondsLeft(Query.getDefaultInstance());
        final double foot = secondsLeft(Query.newBuilder().setProfile("foot").build());
        assertTrue("on foot " + foot + ", by car " + car, car > 10 && foot > 2 * car);
        assertEquals(car, secondsLeft(Query.newBuilder().setProfile("car").setMetric("duration").build()), 0);
        assertEquals(Double.NaN, secondsLeft(Query.newBuilder().setProfile("foot").setMetric("distance").build()), 0);
    }

    @Test
    public void failuresLeaveTheGuideUsable() {
        final MacadamException none =
                assertThrows(
                        MacadamException.class,
                        () -> engine.guide(BOTH, RouteRequest.newBuilder().setWaypoint(Engine.nodes(11, 99)).build(), new GuideOptions()));
        assertEquals(Status.STATUS_NOT_FOUND, none.status());
        final MacadamException options =
                assertThrows(MacadamException.class, () -> engine.guide(BOTH, REQUEST, new GuideOptions().accuracyM(-1)));
        assertEquals(Status.STATUS_INVALID, options.status());
        final Guide guide = guide();
        final MacadamException position =
                assertThrows(MacadamException.class, () -> guide.move(new Position(Double.NaN, 50, 0)));
        assertEquals(Status.STATUS_INVALID, position.status());
        assertThrows(MacadamException.class, () -> guide.text(99));
        assertEquals("the route has no step -1", assertThrows(MacadamException.class, () -> guide.text(-1)).getMessage());
        assertThrows(MacadamException.class, () -> guide.text(0, Double.NaN));
        assertEquals(GuideState.Status.ON_ROUTE, guide.move(new Position(10.0005, 50, 0)).status());
        engine.close();
        assertEquals(GuideState.Status.ON_ROUTE, guide.move(new Position(10.0006, 50, 1)).status());
        assertThrows(IllegalStateException.class, () -> guide.text(0));
        guide.close();
        guide.close();
        assertThrows(IllegalStateException.class, () -> guide.move(new Position(10.0006, 50, 2)));
    }
}
