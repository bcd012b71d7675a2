package org.macadam;

import com.google.protobuf.InvalidProtocolBufferException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import org.macadam.v1.InfoReply;
import org.macadam.v1.InfoRequest;
import org.macadam.v1.IsochroneReply;
import org.macadam.v1.IsochroneRequest;
import org.macadam.v1.MatchReply;
import org.macadam.v1.MatchRequest;
import org.macadam.v1.MatrixRequest;
import org.macadam.v1.MatrixTile;
import org.macadam.v1.Places;
import org.macadam.v1.Query;
import org.macadam.v1.Reply;
import org.macadam.v1.Request;
import org.macadam.v1.RouteReply;
import org.macadam.v1.RouteRequest;
import org.macadam.v1.SnapRequest;
import org.macadam.v1.Snaps;
import org.macadam.v1.Status;
import org.macadam.v1.Step;
import org.macadam.v1.UpdateReply;
import org.macadam.v1.UpdateRequest;

/**
 * An opened edge file, and all questions to it. Questions and answers are the messages of {@code org.macadam.v1}, which
 * {@code macadam.h} explains.
 *
 * <p>Any number of threads may use an engine concurrently. Interrupting a thread cancels its call within some 50
 * milliseconds: it throws a {@link CancelledException}. Every call throws a {@link MacadamException} if it fails, and an
 * {@link IllegalStateException} if the engine is closed, or is called by its own callback.
 */
public final class Engine implements AutoCloseable {
    /** A cost in an answer: there is no path. Costs are unsigned: {@link Integer#toUnsignedLong}. */
    public static final int UNREACHED = -1;

    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock(); // calls read, close() writes
    private volatile boolean closing;
    private long handle; // 0: closed

    private Engine(long handle) {
        this.handle = handle;
    }

    /**
     * Opens an edge file with default options.
     *
     * @param path the file, as {@code macadam import} makes it
     * @return the engine; close it
     */
    public static Engine open(Path path) {
        return open(path, new EngineOptions());
    }

    /**
     * Opens an edge file.
     *
     * @param path the file, as {@code macadam import} makes it
     * @param options how to open it
     * @return the engine; close it
     */
    public static Engine open(Path path, EngineOptions options) {
        return new Engine(
                NativeLibrary.open(
                        NativeLibrary.text(path.toString()),
                        NativeLibrary.text(options.device),
                        NativeLibrary.text(options.profile),
                        options.threads,
                        options.memoryLimit,
                        options.trustFile,
                        options.readFile,
                        options.progress));
    }

    /**
     * Returns the version of the native library.
     *
     * @return "MAJOR.MINOR.PATCH"
     */
    public static String version() {
        return new String(NativeLibrary.version(), StandardCharsets.UTF_8);
    }

    /**
     * Waits until the calls that run have returned, and closes the engine. Calls that begin later fail. Closing a closed
     * engine does nothing.
     */
    @Override
    public void close() {
        if (lock.getReadHoldCount() > 0) throw new IllegalStateException("a call of the engine closes it");
        closing = true;
        lock.writeLock().lock();
        try {
            if (handle != 0) NativeLibrary.close(handle);
            handle = 0;
        } finally {
            lock.writeLock().unlock();
        }
    }

    /** Holds the engine open until leave(), and returns its handle. */
    long enter() {
        if (lock.getReadHoldCount() > 0)
            throw new IllegalStateException("a callback must not call the engine that called it");
        if (!closing) {
            lock.readLock().lock();
            if (handle != 0) return handle;
            leave();
        }
        throw new IllegalStateException("the engine is closed");
    }

    void leave() {
        lock.readLock().unlock();
    }

    // ---- any request ----

    /**
     * Answers a serialized {@link Request}. For hosts that pass messages on.
     *
     * @param request the bytes
     * @return a serialized {@link Reply}. If the request fails, it holds the status and the message
     */
    public byte[] call(byte[] request) {
        return call(Objects.requireNonNull(request), null);
    }

    private byte[] call(byte[] request, Consumer<Reply> part) {
        final long engine = enter();
        try {
            return NativeLibrary.call(engine, request, part);
        } finally {
            leave();
        }
    }

    /**
     * Answers any request in one reply.
     *
     * @param request the request
     * @return the reply, whose status is {@code STATUS_OK}
     */
    public Reply call(Request request) {
        return checked(call(request.toByteArray(), null));
    }

    /**
     * Answers a request for a matrix, trees or all pairs in parts: each is a tile of the answer. Other requests have no parts.
     *
     * @param request the request
     * @param part receives each part, in the thread of the call. It must not use the engine. An exception of it ends the call,
     *     which throws it
     * @return the last reply
     */
    public Reply stream(Request request, Consumer<Reply> part) {
        return checked(call(request.toByteArray(), Objects.requireNonNull(part)));
    }

    /**
     * Answers a request for a matrix, trees, routes or all pairs, and writes the costs into buffers, without a copy.
     *
     * @param request the request
     * @param costs a buffer for each quantity of the query: direct, of the native order, with room for all costs from its position
     *     on, which stays. See {@link #newCosts}
     * @return the reply, without the costs
     */
    public Reply callInto(Request request, ByteBuffer... costs) {
        final ByteBuffer[] slices = new ByteBuffer[costs.length];
        for (int i = 0; i < costs.length; ++i) {
            slices[i] = costs[i].slice();
            require(costs[i].isDirect(), i, "is not direct");
            require(!costs[i].isReadOnly(), i, "is read-only");
            require(costs[i].order() == ByteOrder.nativeOrder(), i, "does not have the native order");
            require(slices[i].alignmentOffset(0, Integer.BYTES) == 0, i, "does not begin at a multiple of 4 bytes");
            for (int j = 0; j < i; ++j) require(costs[j] != costs[i], i, "is that of another quantity");
        }
        final long engine = enter();
        try {
            return checked(NativeLibrary.callInto(engine, request.toByteArray(), slices));
        } finally {
            leave();
        }
    }

    private static void require(boolean holds, int number, String otherwise) {
        if (!holds) throw new IllegalArgumentException("buffer " + number + " for costs " + otherwise);
    }

    /**
     * Allocates a buffer for costs. Read them as unsigned numbers, by {@code asIntBuffer()} or {@code getInt(4 * i)}.
     *
     * @param count how many costs there are: rows times columns; at most 536,870,911
     * @return a direct buffer of the native order
     */
    public static ByteBuffer newCosts(int count) {
        if (count < 0 || count > Integer.MAX_VALUE / Integer.BYTES)
            throw new IllegalArgumentException(count + " costs are not from 0 to " + Integer.MAX_VALUE / Integer.BYTES);
        return ByteBuffer.allocateDirect(count * Integer.BYTES).order(ByteOrder.nativeOrder());
    }

    private static Reply checked(byte[] bytes) {
        final Reply reply;
        try {
            reply = Reply.parseFrom(bytes);
        } catch (InvalidProtocolBufferException exception) {
            throw new IllegalStateException("the native library belongs to another version", exception);
        }
        if (reply.getStatus() != Status.STATUS_OK) throw NativeLibrary.failure(reply.getStatus(), reply.getMessage());
        return reply;
    }

    // ---- places ----

    /**
     * Lists nodes as places.
     *
     * @param id the ids of the source data
     * @return the places
     */
    public static Places nodes(long... id) {
        final Places.Builder places = Places.newBuilder();
        for (long one : id) places.addNode(one);
        return places.build();
    }

    /**
     * Lists points as places.
     *
     * @param lonLat longitude, latitude, longitude, latitude, ... in degrees
     * @return the places
     */
    public static Places points(double... lonLat) {
        if (lonLat.length % 2 != 0) throw new IllegalArgumentException("a longitude has no latitude");
        final Places.Builder places = Places.newBuilder();
        for (int i = 0; i < lonLat.length; i += 2) places.addLon(lonLat[i]).addLat(lonLat[i + 1]);
        return places.build();
    }

    // ---- questions ----

    /**
     * Finds a route, by the default metric.
     *
     * @param request the waypoints and the options
     * @return the route; {@code getFound()} is false if there is none
     */
    public RouteReply route(RouteRequest request) {
        return route(Query.getDefaultInstance(), request);
    }

    /**
     * Finds a route.
     *
     * @param query the metric, conditions, ...
     * @param request the waypoints and the options
     * @return the route; {@code getFound()} is false if there is none
     */
    public RouteReply route(Query query, RouteRequest request) {
        return call(Request.newBuilder().setQuery(query).setRoute(request).build()).getRoute();
    }

    /**
     * Computes a matrix by the default metric.
     *
     * @param source the rows
     * @param target the columns
     * @return the costs, row by row; {@link #UNREACHED} where there is no path or a place was not found
     */
    public int[] matrix(Places source, Places target) {
        final int rows = source.getNodeCount() + source.getLonCount();
        final int[] costs = new int[Math.multiplyExact(rows, target.getNodeCount() + target.getLonCount())];
        final ByteBuffer buffer = newCosts(costs.length);
        matrix(
                Query.getDefaultInstance(),
                MatrixRequest.newBuilder().setSource(source).setTarget(target).build(),
                buffer);
        buffer.asIntBuffer().get(costs);
        return costs;
    }

    /**
     * Computes a matrix, and writes the costs into buffers, without a copy: cost[row * columns + column].
     *
     * @param query the metric, quantities, conditions, ...
     * @param request the places
     * @param costs a buffer for each quantity, as for {@link #callInto}
     * @return the statuses of the places
     */
    public MatrixTile matrix(Query query, MatrixRequest request, ByteBuffer... costs) {
        return callInto(Request.newBuilder().setQuery(query).setMatrix(request).build(), costs).getMatrix();
    }

    /**
     * Finds the roads that are reached within a limit, by the default metric.
     *
     * @param request the place and the limit, in the unit of the metric's objective: milliseconds, ...
     * @return the roads, and how much of each is reached
     */
    public IsochroneReply isochrone(IsochroneRequest request) {
        return isochrone(Query.getDefaultInstance(), request);
    }

    /**
     * Finds the roads that are reached within a limit.
     *
     * @param query the metric, conditions, ...
     * @param request the place and the limit, in the unit of the metric's objective: milliseconds, ...
     * @return the roads, and how much of each is reached
     */
    public IsochroneReply isochrone(Query query, IsochroneRequest request) {
        return call(Request.newBuilder().setQuery(query).setIsochrone(request).build()).getIsochrone();
    }

    /**
     * Matches traces to roads, by the default metric.
     *
     * @param request the points, and what to report
     * @return where each point is on the roads
     */
    public MatchReply match(MatchRequest request) {
        return match(Query.getDefaultInstance(), request);
    }

    /**
     * Matches traces to roads.
     *
     * @param query the metric, conditions, ...
     * @param request the points, and what to report
     * @return where each point is on the roads
     */
    public MatchReply match(Query query, MatchRequest request) {
        return call(Request.newBuilder().setQuery(query).setMatch(request).build()).getMatch();
    }

    /**
     * Lists the instructions of a route for the driver.
     *
     * @param query the metric, conditions, ...
     * @param request the waypoints and the options; with a language, steps have texts
     * @return the steps of all legs; none if there is no route
     */
    public List<Step> steps(Query query, RouteRequest request) {
        return route(query, request.toBuilder().setSteps(true).build()).getStepList();
    }

    /**
     * Finds a route, and begins to guide a traveller along it.
     *
     * @param query the metric, conditions, ...
     * @param request the waypoints and the options
     * @param options when to speak
     * @return the session; close it. It throws a {@link MacadamException} of {@code STATUS_NOT_FOUND} if there is no route
     */
    public Guide guide(Query query, RouteRequest request, GuideOptions options) {
        final Request whole = Request.newBuilder().setQuery(query).setRoute(request.toBuilder().setSteps(true)).build();
        final double[] numbers = options.numbers(durationOf(query));
        final byte[] profile = query.getProfile().isEmpty() ? null : NativeLibrary.text(query.getProfile());
        final long[] guide = {0};
        final long engine = enter();
        try {
            final RouteReply route = checked(NativeLibrary.guideOpen(engine, whole.toByteArray(), profile, numbers, guide)).getRoute();
            if (!route.getFound()) throw NativeLibrary.failure(Status.STATUS_NOT_FOUND, "there is no route: " + route.getReason());
            final Guide found = new Guide(this, guide[0], request, route);
            guide[0] = 0; // it is the Guide's
            return found;
        } finally {
            NativeLibrary.guideClose(guide[0]);
            leave();
        }
    }

    /** Returns which of the values of an answer is the duration, or what NativeLibrary.guideOpen takes instead. */
    private static int durationOf(Query query) {
        if (query.getQuantityCount() == 0 && query.getMetric().isEmpty()) return NativeLibrary.DURATION_OF_FIRST_METRIC;
        final List<String> quantities = query.getQuantityCount() > 0 ? query.getQuantityList() : List.of(query.getMetric());
        return quantities.contains("duration") ? quantities.indexOf("duration") : NativeLibrary.NO_DURATION;
    }

    /**
     * Changes weights of arcs. Returns when all queries that begin later see them.
     *
     * @param request the arcs and their weights
     * @return how many of them are not on the map
     */
    public UpdateReply update(UpdateRequest request) {
        return call(Request.newBuilder().setUpdate(request).build()).getUpdate();
    }

    /**
     * Moves places to the nearest road.
     *
     * @param query the snap radius, conditions, ...
     * @param request the places
     * @return where each place is
     */
    public Snaps snap(Query query, SnapRequest request) {
        return call(Request.newBuilder().setQuery(query).setSnap(request).build()).getSnap();
    }

    /**
     * Describes the engine and its file.
     *
     * @return the properties
     */
    public InfoReply info() {
        return call(Request.newBuilder().setInfo(InfoRequest.getDefaultInstance()).build()).getInfo();
    }
}
