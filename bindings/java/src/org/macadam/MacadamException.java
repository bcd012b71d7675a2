package org.macadam;

import org.macadam.v1.Status;

/** A call failed. The message is one line that names the offending value. The engine stays usable. */
public class MacadamException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Why the call failed. */
    private final Status status;

    MacadamException(Status status, String message) {
        super(message);
        this.status = status;
    }

    /**
     * Returns why the call failed, as {@code macadam_status} of macadam.h has it.
     *
     * @return any status but {@code STATUS_OK}
     */
    public final Status status() {
        return status;
    }
}
