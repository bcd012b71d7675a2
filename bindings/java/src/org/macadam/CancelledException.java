package org.macadam;

import org.macadam.v1.Status;

/**
 * A call was cancelled: its thread was interrupted, or {@link Progress#report} returned false. A thread that was interrupted
 * still is: {@link Thread#isInterrupted} returns true.
 */
public final class CancelledException extends MacadamException {
    private static final long serialVersionUID = 1;

    CancelledException(String message) {
        super(Status.STATUS_CANCELLED, message);
    }
}
