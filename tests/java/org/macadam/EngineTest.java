package org.macadam;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.macadam.v1.Column;
import org.macadam.v1.IsochroneRequest;
import org.macadam.v1.MatchReply;
import org.macadam.v1.MatchRequest;
import org.macadam.v1.MatchStatus;
import org.macadam.v1.MatrixRequest;
import org.macadam.v1.MatrixTile;
import org.macadam.v1.PlaceStatus;
import org.macadam.v1.Query;
import org.macadam.v1.Reply;
import org.macadam.v1.Request;
import org.macadam.v1.RouteReply;
import org.macadam.v1.RouteRequest;
import org.macadam.v1.SnapRequest;
import org.macadam.v1.Snaps;
import org.macadam.v1.Status;
import org.macadam.v1.Step;
import org.macadam.v1.UpdateRequest;

/** Each method answers, and fails as it should. Expected answers are those of the command and of the examples in C. */
public final class EngineTest {
    private Engine engine;

    @Before
    public void open() {
        engine = Engine.open(Maps.town());
    }

    @After
    public void close() {
        engine.close();
    }

    private static RouteRequest between(long... nodes) {
        return RouteRequest.newBuilder().setWaypoint(Engine.nodes(nodes)).build();
    }

    private static MacadamException failure(Status status, org.junit.function.ThrowingRunnable call) {
        final MacadamException failure = assertThrows(MacadamException.class, call);
        assertEquals(failure.getMessage(), status, failure.status());
        assertFalse(failure.getMessage().isEmpty());
        return failure;
    }

    /** `macadam route town.mcd --from node:11 --to node:45` prints 7 arcs of together 84550 ms. */
    @Test
    public void routeIsThatOfTheCommand() {
        final RouteReply route = engine.route(between(11, 45));
        assertTrue(route.getFound());
        assertEquals(84552, route.getValue(0));
        assertEquals(List.of(11L, 21L, 31L, 41L, 42L, 43L, 44L), route.getArc().getTailList());
    }

    @Test
    public void routeByAnotherMetricAndProfile() {
        final Query feet = Query.newBuilder().setProfile("foot").setMetric("distance").build();
        final RouteReply route = engine.route(feet, between(11, 45));
        final RouteReply back = engine.route(feet, between(45, 11));
        assertTrue(route.getFound());
        assertEquals(route.getValue(0), back.getValue(0)); // no street is one way on foot
    }

    @Test
    public void routeThatIsNotFoundIsNotAnError() {
        final RouteReply route = engine.route(between(11, 99));
        assertFalse(route.getFound());
        assertEquals(PlaceStatus.PLACE_UNKNOWN_ID, route.getWaypoint().getStatus(1));
    }

    @Test
    public void stepsHaveTexts() {
        final List<String> texts = new ArrayList<>();
        final RouteRequest request =
                RouteRequest.newBuilder()
                        .setWaypoint(Engine.points(10.0021, 49.9999, 10.0019, 50.0027))
                        .setLanguage("en")
                        .build();
        for (Step step : engine.steps(Query.getDefaultInstance(), request)) texts.add(step.getText());
        assertEquals(
                List.of(
                        "Head west on Mill Lane",
                        "Turn right onto King Street",
                        "You have arrived; your destination is on the left"),
                texts);
    }

    @Test
    public void isochroneListsRoads() {
        final IsochroneRequest request =
                IsochroneRequest.newBuilder().setSource(Engine.nodes(11)).setLimit(20000).build();
        assertTrue(engine.isochrone(request).getRoad().getNumberCount() > 0);
        for (int cost : engine.isochrone(request).getCostList()) assertTrue(cost <= 20000);
    }

    /** The trace of examples/match.c. */
    @Test
    public void matchNamesStreets() {
        final MatchRequest.Builder request = MatchRequest.newBuilder().setDefaultAccuracyM(10);
        final double[] trace = {
            0, 10.0010, 50.00003, 10, 10.0019, 50.0001, 20, 10.00205, 50.0009, Double.NaN, 10.5, 50.5, 30, 10.00195, 50.0018
        };
        for (int i = 0; i < trace.length; i += 3)
            request.addTimeS(trace[i]).addLon(trace[i + 1]).addLat(trace[i + 2]);
        final MatchReply reply = engine.match(request.build());
        assertEquals(
                List.of("Mill Lane", "King Street", "King Street", "", "King Street"), reply.getSnap().getNameList());
        assertEquals(MatchStatus.MATCH_NO_ROAD, reply.getStatus(3));
    }

    @Test
    public void updateClosesAnArc() {
        final RouteReply before = engine.route(between(42, 43));
        engine.update(
                UpdateRequest.newBuilder()
                        .addArc(before.getArc().getNumber(0))
                        .addQuantity("duration")
                        .addValue(Column.newBuilder().addValue(Engine.UNREACHED))
                        .build());
        final RouteReply after = engine.route(between(42, 43));
        assertTrue(after.getFound());
        assertTrue(after.getValue(0) > before.getValue(0));
    }

    @Test
    public void updateCountsWhatIsNotOnTheMap() {
        final UpdateRequest request = UpdateRequest.newBuilder()
                .addArc(1000000)
                .addQuantity("duration")
                .addValue(Column.newBuilder().addValue(5))
                .setPassesUnknown(true)
                .build();
        assertEquals(1, engine.update(request).getUnknown());
    }

    @Test
    public void snapNamesTheRoad() {
        final SnapRequest request = SnapRequest.newBuilder().setPlace(Engine.points(10.0021, 49.9999, 0, 0)).build();
        final Snaps snaps = engine.snap(Query.getDefaultInstance(), request);
        assertEquals("Mill Lane", snaps.getName(0));
        assertEquals(PlaceStatus.PLACE_TOO_FAR, snaps.getStatus(1));
    }

    @Test
    public void infoDescribesTheFile() {
        assertEquals(List.of("car", "foot"), engine.info().getProfilesList());
        assertEquals(Engine.version(), engine.info().getVersion());
    }

    @Test
    public void optionsChooseTheProfile() {
        try (Engine feet = Engine.open(Maps.town(), new EngineOptions().profile("foot").device("cpu").threads(1).readFile(true))) {
            assertEquals("foot", feet.info().getProfile());
            assertEquals(
                    feet.route(between(11, 45)),
                    engine.route(Query.newBuilder().setProfile("foot").build(), between(11, 45)));
        }
    }

    /** The matrix of examples/matrix.c. */
    @Test
    public void matrixIsThatOfTheExample() {
        final int[] costs = engine.matrix(Engine.nodes(32, 34, 45), Engine.nodes(32, 34, 45));
        assertEquals(9, costs.length);
        final ByteBuffer seconds = Engine.newCosts(9), metres = Engine.newCosts(9);
        final Query both = Query.newBuilder().addQuantity("duration").addQuantity("distance").build();
        final MatrixTile rest = engine.matrix(both, THREE, seconds, metres);
        assertEquals(3, rest.getSourceStatusCount());
        assertEquals(0, rest.getValue(0).getValueCount());
        for (int row = 0; row < 3; ++row) {
            for (int column = 0; column < 3; ++column) {
                final RouteReply route = engine.route(both, between(NODES[row], NODES[column]));
                final int cell = 3 * row + column;
                assertEquals(route.getValue(0), costs[cell]);
                assertEquals(route.getValue(0), seconds.getInt(4 * cell));
                assertEquals(route.getValue(1), metres.getInt(4 * cell));
            }
        }
    }

    private static final long[] NODES = {32, 34, 45};
    private static final MatrixRequest THREE =
            MatrixRequest.newBuilder().setSource(Engine.nodes(NODES)).setTarget(Engine.nodes(NODES)).build();

    @Test
    public void bufferIsFilledFromItsPositionOn() {
        final ByteBuffer buffer = Engine.newCosts(13);
        for (int i = 0; i < 13; ++i) buffer.putInt(4 * i, 7);
        buffer.position(8).limit(8 + 36);
        engine.matrix(Query.getDefaultInstance(), THREE, buffer);
        assertEquals(8, buffer.position());
        buffer.clear();
        final int[] costs = engine.matrix(THREE.getSource(), THREE.getTarget());
        for (int i = 0; i < 13; ++i) assertEquals(i < 2 || i >= 11 ? 7 : costs[i - 2], buffer.getInt(4 * i));
    }

    private void refuse(ByteBuffer bad, String message) {
        final Query both = Query.newBuilder().addQuantity("duration").addQuantity("distance").build();
        final ByteBuffer good = Engine.newCosts(9);
        assertEquals(
                message,
                assertThrows(IllegalArgumentException.class, () -> engine.matrix(both, THREE, good, bad)).getMessage());
    }

    @Test
    public void buffersThatDoNotFitAreRefused() {
        final Query query = Query.getDefaultInstance();
        final Query both = Query.newBuilder().addQuantity("duration").addQuantity("distance").build();
        final ByteBuffer good = Engine.newCosts(9);
        refuse(ByteBuffer.allocate(36).order(ByteOrder.nativeOrder()), "buffer 1 for costs is not direct");
        refuse(ByteBuffer.allocateDirect(36).order(ByteOrder.BIG_ENDIAN), "buffer 1 for costs does not have the native order");
        refuse(good.asReadOnlyBuffer().order(ByteOrder.nativeOrder()), "buffer 1 for costs is read-only");
        refuse(Engine.newCosts(10).position(1), "buffer 1 for costs does not begin at a multiple of 4 bytes");
        assertThrows(IllegalArgumentException.class, () -> engine.matrix(both, THREE, good, good));
        assertTrue(failure(Status.STATUS_INVALID, () -> engine.matrix(query, THREE, Engine.newCosts(8))).getMessage().contains("costs of each: 9"));
        assertEquals(
                "quantities of the answer: 1, costs of each: 9; arrays for them: 0, room of each: 0",
                failure(Status.STATUS_INVALID, () -> engine.matrix(query, THREE)).getMessage());
        failure(Status.STATUS_INVALID, () -> engine.matrix(both, THREE, good));
        failure(Status.STATUS_INVALID, () -> engine.matrix(both, THREE, good, Engine.newCosts(8)));
        failure(Status.STATUS_INVALID, () -> engine.callInto(Request.newBuilder().setRoute(between(32, 34)).build(), good));
        assertThrows(NullPointerException.class, () -> engine.matrix(query, THREE, (ByteBuffer) null));
        final String message =
                assertThrows(IllegalArgumentException.class, () -> Engine.newCosts(600_000_000)).getMessage();
        assertEquals("600000000 costs are not from 0 to 536870911", message);
        engine.matrix(query, THREE, good);
    }

    @Test
    public void streamDeliversTiles() {
        final Request request =
                Request.newBuilder()
                        .setMatrix(MatrixRequest.newBuilder().setSource(Engine.nodes(11, 21, 31)).setTarget(Engine.nodes(45, 51)))
                        .build();
        final int[] cells = {0};
        final Reply last = engine.stream(request, part -> cells[0] += part.getMatrix().getValue(0).getValueCount());
        assertEquals(6, cells[0]);
        assertEquals(Reply.getDefaultInstance(), last);
    }

    @Test
    public void pathsAreUnicode() throws java.io.IOException {
        final Path copy = Maps.town().resolveSibling("Stra\u00dfe \ud83d\ude97.mcd");
        Files.deleteIfExists(copy);
        Files.copy(Maps.town(), copy);
        try (Engine other = Engine.open(copy)) {
            assertTrue(other.route(between(11, 45)).getFound());
        }
        final String name = copy.toString().replace("mcd", "none");
        assertTrue(failure(Status.STATUS_IO, () -> Engine.open(Path.of(name))).getMessage().contains(name));
    }

    @Test
    public void failuresHaveTheirStatus() throws java.io.IOException {
        final Path text = Maps.town().resolveSibling("text.mcd");
        Files.write(text, "not a map".getBytes(StandardCharsets.UTF_8));
        failure(Status.STATUS_FILE, () -> Engine.open(text));
        failure(Status.STATUS_NOT_FOUND, () -> Engine.open(Maps.town(), new EngineOptions().profile("boat")));
        failure(Status.STATUS_DEVICE, () -> Engine.open(Maps.town(), new EngineOptions().device("abacus")));
        failure(Status.STATUS_INVALID, () -> engine.route(between(11)));
        failure(Status.STATUS_NOT_FOUND, () -> engine.route(Query.newBuilder().setMetric("beauty").build(), between(11, 45)));
        failure(Status.STATUS_LIMIT, () -> engine.stream(hugeMatrix(), part -> {}));
        failure(Status.STATUS_INVALID, () -> engine.call(Request.getDefaultInstance()));
        assertThrows(IllegalArgumentException.class, () -> Engine.open(Maps.town(), new EngineOptions().profile("c\0ar")));
        assertThrows(IllegalArgumentException.class, () -> Engine.points(1, 2, 3));
        assertThrows(NullPointerException.class, () -> engine.call((byte[]) null));
        assertTrue(engine.route(between(11, 45)).getFound()); // the engine stays usable
    }

    private static Request hugeMatrix() {
        return Request.newBuilder()
                .setQuery(Query.newBuilder().setMemoryLimit(1))
                .setMatrix(MatrixRequest.newBuilder().setSource(Engine.nodes(11)).setTarget(Engine.nodes(45)))
                .build();
    }

    @Test
    public void rawBytesHoldTheFailure() throws Exception {
        final Reply reply = Reply.parseFrom(engine.call(new byte[] {1, 2, 3}));
        assertEquals(Status.STATUS_INVALID, reply.getStatus());
        assertTrue(reply.getMessage(), reply.getMessage().contains("3 bytes"));
    }

    @Test
    public void exceptionsOfCallbacksArrive() {
        final IllegalArgumentException thrown = new IllegalArgumentException("enough");
        final Request request =
                Request.newBuilder()
                        .setMatrix(MatrixRequest.newBuilder().setSource(Engine.nodes(11)).setTarget(Engine.nodes(45)))
                        .build();
        final Exception caught =
                assertThrows(
                        IllegalArgumentException.class,
                        () ->
                                engine.stream(
                                        request,
                                        part -> {
                                            throw thrown;
                                        }));
        assertEquals(thrown, caught);
        assertThrows(IllegalStateException.class, () -> engine.stream(request, part -> engine.info()));
        assertThrows(IllegalStateException.class, () -> engine.stream(request, part -> engine.close()));
        try (Engine other = Engine.open(Maps.town())) { // another engine may be called, and fail
            engine.stream(
                    request, part -> failure(Status.STATUS_INVALID, () -> other.call(Request.getDefaultInstance())));
        }
    }

    @Test
    public void closedEngineThrows() {
        engine.close();
        engine.close();
        assertThrows(IllegalStateException.class, () -> engine.info());
    }
}
