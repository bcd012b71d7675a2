package org.macadam;

/**
 * Where a traveller is, as a receiver reports it.
 *
 * @param lon the longitude in degrees
 * @param lat the latitude in degrees
 * @param timeS when, in seconds from any moment on; NaN: not known
 * @param accuracyM the standard deviation of the position in metres; 0: that of the options
 * @param heading the direction of travel, in degrees clockwise from north
 * @param headingAccuracy its standard deviation in degrees; 0: the heading is not known
 * @param speedMs the speed in metres per second; 0: not known
 */
public record Position(
        double lon, double lat, double timeS, double accuracyM, double heading, double headingAccuracy, double speedMs) {
    /**
     * Makes a position without heading and speed.
     *
     * @param lon the longitude in degrees
     * @param lat the latitude in degrees
     * @param timeS when, in seconds from any moment on
     */
    public Position(double lon, double lat, double timeS) {
        this(lon, lat, timeS, 0, 0, 0, 0);
    }

    double[] numbers() {
        return new double[] {lon, lat, timeS, accuracyM, heading, headingAccuracy, speedMs};
    }
}
