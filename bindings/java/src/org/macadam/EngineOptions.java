package org.macadam;

/** How an engine is opened. Each method sets an option and returns this object. */
public final class EngineOptions {
    String device;
    String profile;
    int threads;
    long memoryLimit;
    boolean trustFile;
    boolean readFile;
    Progress progress;

    /** Makes the default options. */
    public EngineOptions() {}

    /**
     * Chooses the device.
     *
     * @param name "auto" (the default), "cpu", "cuda", "cuda:N" or "cuda:all"
     * @return this
     */
    public EngineOptions device(String name) {
        device = name;
        return this;
    }

    /**
     * Chooses which of the file's profiles answers, unless a query names another one.
     *
     * @param name its name; null: the first one
     * @return this
     */
    public EngineOptions profile(String name) {
        profile = name;
        return this;
    }

    /**
     * Sets how many threads one call uses.
     *
     * @param count the number; 0 (the default): one for each processor
     * @return this
     */
    public EngineOptions threads(int count) {
        if (count < 0) throw new IllegalArgumentException("threads is " + count);
        threads = count;
        return this;
    }

    /**
     * Limits the scratch memory that all running calls hold together.
     *
     * @param bytes the limit; 0 (the default): three quarters of the machine's memory
     * @return this
     */
    public EngineOptions memoryLimit(long bytes) {
        if (bytes < 0) throw new IllegalArgumentException("memoryLimit is " + bytes);
        memoryLimit = bytes;
        return this;
    }

    /**
     * Skips checksums and validation: only for files that no other user can have written.
     *
     * @param trusts whether to skip them
     * @return this
     */
    public EngineOptions trustFile(boolean trusts) {
        trustFile = trusts;
        return this;
    }

    /**
     * Reads the file into memory instead of mapping it: for files that may be overwritten in place.
     *
     * @param reads whether to read it
     * @return this
     */
    public EngineOptions readFile(boolean reads) {
        readFile = reads;
        return this;
    }

    /**
     * Sets what receives the progress of opening the engine and of all its calls.
     *
     * @param receiver the receiver, or null
     * @return this
     */
    public EngineOptions progress(Progress receiver) {
        progress = receiver;
        return this;
    }
}
