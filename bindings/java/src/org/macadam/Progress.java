package org.macadam;

/** Receives the progress of opening an engine and of its calls, every 20 milliseconds or less often. */
@FunctionalInterface
public interface Progress {
    /**
     * Reports progress in the thread of the call, so several threads may call it concurrently. It must not use the engine
     * that calls it. An exception of it ends the call, which throws it.
     *
     * @param phase the present phase of the call
     * @param done the finished steps of the phase
     * @param total all steps of the phase; 0: their number is not known
     * @return true to go on, false to cancel the call
     */
    boolean report(String phase, long done, long total);
}
