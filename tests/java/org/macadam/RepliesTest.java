package org.macadam;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.Test;
import org.macadam.v1.AllPairsRequest;
import org.macadam.v1.ClassFactor;
import org.macadam.v1.Clock;
import org.macadam.v1.ClosureRequest;
import org.macadam.v1.Column;
import org.macadam.v1.Conditions;
import org.macadam.v1.ConnectRequest;
import org.macadam.v1.HopsRequest;
import org.macadam.v1.IdsRequest;
import org.macadam.v1.InfoRequest;
import org.macadam.v1.IsochroneRequest;
import org.macadam.v1.MatchRequest;
import org.macadam.v1.MatrixRequest;
import org.macadam.v1.MatrixTile;
import org.macadam.v1.Order;
import org.macadam.v1.Places;
import org.macadam.v1.Query;
import org.macadam.v1.ReachRequest;
import org.macadam.v1.Reply;
import org.macadam.v1.Request;
import org.macadam.v1.RingsRequest;
import org.macadam.v1.RoadsRequest;
import org.macadam.v1.RouteRequest;
import org.macadam.v1.RoutesRequest;
import org.macadam.v1.SnapRequest;
import org.macadam.v1.Status;
import org.macadam.v1.TreeRequest;
import org.macadam.v1.TripRequest;
import org.macadam.v1.UpdateRequest;
import org.macadam.v1.VerifyRequest;
import org.macadam.v1.WarmRequest;

/** Java's replies to random requests of all kinds are those of macadam_call, byte for byte. */
public final class RepliesTest {
    private static final int COUNT = 1000;
    private static final long SEED = 53;
    private static final int KINDS = 20;
    private final Random random = new Random(SEED);

    private boolean chance(int of) {
        return random.nextInt(of) == 0;
    }

    private Places places(int least, int most) {
        final Places.Builder places = Places.newBuilder();
        final int count = least + random.nextInt(most - least + 1);
        final boolean points = chance(2);
        for (int i = 0; i < count; ++i) {
            if (points) {
                places.addLon(10 + random.nextInt(9500) / 1e6).addLat(50 + random.nextInt(3900) / 1e6);
            } else {
                places.addNode(chance(20) ? 99 : 10 * (1 + random.nextInt(4)) + 1 + random.nextInt(5));
            }
        }
        if (points && chance(4)) for (int i = 0; i < count; ++i) places.addHeading(random.nextInt(360)).addHeadingTolerance(60);
        return places.build();
    }

    private Query query() {
        final Query.Builder query = Query.newBuilder();
        final String metric = chance(3) ? "distance" : "duration";
        query.setMetric(metric);
        if (chance(2)) query.addQuantity("duration").addQuantity("distance");
        if (chance(6)) query.setProfile("foot");
        if (chance(6)) query.setSnapAnyComponent(true);
        if (chance(8))
            query.setConditions(Conditions.newBuilder().addFactor(ClassFactor.newBuilder().setRoadClass("residential").setFactor(2)));
        if (chance(8) && metric.equals("duration")) query.setClock(Clock.newBuilder().addDepart(random.nextInt(604800000)));
        return query.build();
    }

    private UpdateRequest update() {
        final UpdateRequest.Builder update = UpdateRequest.newBuilder().addQuantity("duration");
        final Column.Builder value = Column.newBuilder();
        for (int i = 1 + random.nextInt(3); i > 0; --i) {
            update.addArc(1 + random.nextInt(40));
            value.addValue(chance(4) ? -2 : 5000 + random.nextInt(30000)); // -2: as imported
        }
        return update.addValue(value).build();
    }

    private MatchRequest match() {
        final MatchRequest.Builder match = MatchRequest.newBuilder().setDefaultAccuracyM(10).setArcs(chance(2)).setRoutes(chance(2));
        final int count = 1 + random.nextInt(8);
        for (int i = 0; i < count; ++i)
            match.addLon(10 + 0.001 * i + random.nextInt(100) / 1e6).addLat(50 + random.nextInt(100) / 1e6).addTimeS(10 * i);
        return match.build();
    }

    private Request request(int kind) {
        final Request.Builder request = Request.newBuilder();
        if (!chance(4)) request.setQuery(query());
        final int limit = 10000 + random.nextInt(60000);
        switch (kind) {
            case 0: return request.setTree(TreeRequest.newBuilder().setSource(places(1, 4)).setReverse(chance(2)).setOrder(chance(2) ? Order.ORDER_IDS : Order.ORDER_NODES)).build();
            case 1: return request.setRoute(RouteRequest.newBuilder().setWaypoint(places(2, 4)).setSteps(chance(2)).setLanguage(chance(2) ? "de" : "").setSegments(chance(3)).setTotals(chance(3))).build();
            case 2: return request.setRoutes(RoutesRequest.newBuilder().setSource(places(3, 3)).setTarget(places(3, 3)).setPaths(chance(2))).build();
            case 3: return request.setMatrix(MatrixRequest.newBuilder().setSource(places(1, 9)).setTarget(places(1, 9)).setExplain(chance(2))).build();
            case 4: return request.setSnap(SnapRequest.newBuilder().setPlace(places(1, 5)).setCandidates(random.nextInt(4))).build();
            case 5: return request.setUpdate(update()).build();
            case 6: return request.setInfo(InfoRequest.getDefaultInstance()).build();
            case 7: return request.setIds(IdsRequest.newBuilder().setOrder(chance(2) ? Order.ORDER_IDS : Order.ORDER_NODES)).build();
            case 8: return request.setVerify(VerifyRequest.getDefaultInstance()).build();
            case 9: return request.setReach(ReachRequest.newBuilder().setSource(places(1, 3)).addLimit(limit).addLimit(2 * limit).setTarget(places(1, 5)).setNearest(2)).build();
            case 10: return request.setIsochrone(IsochroneRequest.newBuilder().setSource(places(1, 1)).setLimit(limit).setReverse(chance(2))).build();
            case 11: return request.setRoads(RoadsRequest.newBuilder().setWest(10).setSouth(50).setEast(10 + random.nextInt(9000) / 1e6).setNorth(50.002)).build();
            case 12: return request.setRings(RingsRequest.newBuilder().setSource(places(1, 2)).addLimit(limit).addLimit(limit + 10000).setDisjoint(chance(2))).build();
            case 13: return request.setHops(HopsRequest.newBuilder().setSource(places(1, 3)).setReverse(chance(2)).setParents(chance(2))).build();
            case 14: return request.setConnect(ConnectRequest.newBuilder().setSource(places(1, 1)).setTarget(places(1, 1))).build();
            case 15: return request.setAllPairs(AllPairsRequest.newBuilder().setMethod(chance(2) ? "floyd-warshall" : "")).build();
            case 16: return request.setClosure(ClosureRequest.getDefaultInstance()).build();
            case 17: return request.setWarm(WarmRequest.getDefaultInstance()).build();
            case 18: return request.setMatch(match()).build();
            default: return request.setTrip(TripRequest.newBuilder().setStop(places(2, 6)).setOpen(chance(2)).setSteps(chance(2))).build();
        }
    }

    /** One in twenty is damaged, too. */
    private byte[] bytes(int kind) {
        final byte[] bytes = request(kind).toByteArray();
        if (chance(20)) bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        return bytes;
    }

    private static List<byte[]> answersOfC(Path map, List<byte[]> requests) throws IOException {
        final Path sent = map.resolveSibling("requests"), received = map.resolveSibling("replies");
        try (OutputStream out = Files.newOutputStream(sent)) {
            for (byte[] request : requests) {
                out.write(ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(request.length).array());
                out.write(request);
            }
        }
        Maps.run(List.of(System.getProperty("macadam.test.replies"), map.toString(), sent.toString(), received.toString()));
        final ByteBuffer all = ByteBuffer.wrap(Files.readAllBytes(received)).order(ByteOrder.LITTLE_ENDIAN);
        final List<byte[]> replies = new ArrayList<>();
        while (all.hasRemaining()) {
            final byte[] reply = new byte[all.getInt()];
            all.get(reply);
            replies.add(reply);
        }
        return replies;
    }

    /** Memory in use differs from run to run, and the name of the device from machine to machine. */
    private static byte[] withoutMachine(byte[] bytes) throws IOException {
        final Reply reply = Reply.parseFrom(bytes);
        if (reply.hasInfo())
            return reply.toBuilder().setInfo(reply.getInfo().toBuilder().clearIdleHostBytes().clearDevice()).build().toByteArray();
        if (reply.getMessage().contains(" on cpu"))
            return reply.toBuilder().setMessage(reply.getMessage().replaceAll(" on cpu[^;]*", " on cpu")).build().toByteArray();
        return bytes;
    }

    /** A matrix is written into buffers, too. */
    private static void compareBuffers(Engine engine, byte[] bytes, MatrixTile tile) throws IOException {
        final ByteBuffer[] costs = new ByteBuffer[tile.getValueCount()];
        for (int q = 0; q < costs.length; ++q) costs[q] = Engine.newCosts((int) (tile.getRows() * tile.getColumns()));
        final MatrixTile rest = engine.callInto(Request.parseFrom(bytes), costs).getMatrix();
        for (int q = 0; q < costs.length; ++q)
            for (int i = 0; i < tile.getValue(q).getValueCount(); ++i) assertEquals(tile.getValue(q).getValue(i), costs[q].getInt(4 * i));
        assertEquals(tile.getSourceStatusList(), rest.getSourceStatusList());
        assertEquals(tile.getTargetStatusList(), rest.getTargetStatusList());
    }

    @Test
    public void repliesAreThoseOfC() throws IOException {
        final Path map = Maps.town();
        final List<byte[]> requests = new ArrayList<>();
        for (int i = 0; i < COUNT; ++i) requests.add(bytes(i % KINDS));
        final List<byte[]> expected = answersOfC(map, requests);
        assertEquals(COUNT, expected.size());
        final Map<Reply.AnswerCase, Integer> answered = new TreeMap<>();
        try (Engine engine = Engine.open(map)) {
            for (int i = 0; i < COUNT; ++i) {
                final byte[] reply = engine.call(requests.get(i));
                assertArrayEquals("request " + i, withoutMachine(expected.get(i)), withoutMachine(reply));
                final Reply parsed = Reply.parseFrom(reply);
                if (parsed.getStatus() == Status.STATUS_OK) answered.merge(parsed.getAnswerCase(), 1, Integer::sum);
                if (parsed.hasMatrix()) compareBuffers(engine, requests.get(i), parsed.getMatrix());
            }
        }
        assertEquals("answers " + answered, Reply.AnswerCase.values().length, answered.size());
        for (int count : answered.values()) assertTrue("answers " + answered, count >= 15);
    }
}
