package org.macadam;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.Test;
import org.macadam.v1.MatrixRequest;
import org.macadam.v1.Places;
import org.macadam.v1.Request;
import org.macadam.v1.RouteReply;
import org.macadam.v1.RouteRequest;

/** Engines in several threads: calls beside each other and beside close(), interrupts and progress. */
public final class ThreadsTest {
    private static final Places ALL =
            Engine.nodes(LongStream.rangeClosed(1, Maps.GRID_SIDE * Maps.GRID_SIDE).toArray());
    /** Half a billion cells: longer than any test waits. */
    private static final Request LONG =
            Request.newBuilder().setMatrix(MatrixRequest.newBuilder().setSource(ALL).setTarget(ALL)).build();

    private static RouteReply route(Engine engine, long from, long to) {
        return engine.route(RouteRequest.newBuilder().setWaypoint(Engine.nodes(from, to)).build());
    }

    @Test
    public void interruptCancelsALongMatrix() throws Exception {
        try (Engine engine = Engine.open(Maps.grid(), new EngineOptions().threads(1))) {
            final CountDownLatch begun = new CountDownLatch(1);
            final AtomicReference<Throwable> thrown = new AtomicReference<>();
            final AtomicInteger interrupted = new AtomicInteger();
            final Thread thread =
                    new Thread(
                            () -> {
                                try {
                                    engine.stream(LONG, part -> begun.countDown());
                                } catch (Throwable caught) {
                                    thrown.set(caught);
                                    if (Thread.currentThread().isInterrupted()) interrupted.incrementAndGet();
                                }
                            });
            thread.start();
            begun.await();
            thread.interrupt();
            thread.join();
            assertTrue("" + thrown.get(), thrown.get() instanceof CancelledException);
            assertEquals("the thread is still interrupted", 1, interrupted.get());
            assertTrue(route(engine, 1, 2).getFound());
        }
    }

    @Test
    public void progressCancelsAndThrows() throws Exception {
        final AtomicInteger calls = new AtomicInteger();
        final AtomicReference<RuntimeException> thrown = new AtomicReference<>();
        final AtomicReference<String> phase = new AtomicReference<>();
        final EngineOptions options =
                new EngineOptions()
                        .progress(
                                (name, done, total) -> {
                                    phase.set(name);
                                    if (thrown.get() != null) throw thrown.get();
                                    return calls.incrementAndGet() < 3;
                                });
        try (Engine engine = Engine.open(Maps.grid(), options)) {
            assertThrows(CancelledException.class, () -> engine.stream(LONG, part -> {}));
            assertTrue(calls.get() >= 3);
            assertNotNull(phase.get());
            assertFalse(Thread.currentThread().isInterrupted());
            thrown.set(new IllegalArgumentException("enough"));
            assertSame(thrown.get(), assertThrows(IllegalArgumentException.class, () -> engine.stream(LONG, part -> {})));
        }
    }

    @Test
    public void closeBesideCallsWaits() throws Exception {
        for (int round = 0; round < 20; ++round) {
            final Engine engine = Engine.open(Maps.grid());
            final int expected = route(engine, 1, 1000).getValue(0);
            final CountDownLatch begun = new CountDownLatch(8);
            final AtomicReference<Throwable> wrong = new AtomicReference<>();
            final List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 8; ++i) {
                final Thread thread =
                        new Thread(
                                () -> {
                                    try {
                                        for (; ; begun.countDown()) assertEquals(expected, route(engine, 1, 1000).getValue(0));
                                    } catch (IllegalStateException closed) { // the only way out
                                        assertEquals("the engine is closed", closed.getMessage());
                                    }
                                });
                thread.setUncaughtExceptionHandler((which, caught) -> wrong.set(caught));
                thread.start();
                threads.add(thread);
            }
            begun.await();
            engine.close();
            for (Thread thread : threads) thread.join();
            assertNull(wrong.get());
        }
    }

    /** close() returns only after a call that runs has received its answer. */
    @Test
    public void closeWaitsForACallThatRuns() throws Exception {
        final Engine engine = Engine.open(Maps.town());
        final CountDownLatch begun = new CountDownLatch(1);
        final AtomicInteger order = new AtomicInteger();
        final Request request =
                Request.newBuilder()
                        .setMatrix(MatrixRequest.newBuilder().setSource(Engine.nodes(11)).setTarget(Engine.nodes(45)))
                        .build();
        final Thread thread =
                new Thread(
                        () ->
                                engine.stream(
                                        request,
                                        part -> {
                                            begun.countDown();
                                            try {
                                                Thread.sleep(200);
                                            } catch (InterruptedException exception) {
                                                throw new IllegalStateException(exception);
                                            }
                                            order.compareAndSet(0, 1);
                                        }));
        thread.start();
        begun.await();
        engine.close();
        assertEquals(1, order.get());
        thread.join();
    }
}
