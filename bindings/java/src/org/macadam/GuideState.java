package org.macadam;

import org.macadam.v1.Places;

/**
 * Where a traveller is on his route, and what comes next. Indexes are those of {@link Guide#route}.
 *
 * @param status whether he follows the route
 * @param lon the longitude of his place on the route in degrees; off the route, this and what follows are the last ones known
 * @param lat its latitude
 * @param distanceM from the position to there, in metres
 * @param arc the arc on which he is
 * @param along the share of the arc already travelled, 0 to 1
 * @param travelledM metres from the route's start to there
 * @param leftM metres from there to the route's end
 * @param leftS seconds from there to the route's end; NaN if the query has no duration
 * @param leg the leg on which he is
 * @param legLeftM metres to the end of the leg
 * @param legLeftS seconds to the end of the leg
 * @param step the step whose maneuver comes next
 * @param stepM metres to its maneuver
 * @param stepS seconds to its maneuver
 * @param say how steps are to be said now
 * @param firstSaid the steps firstSaid &lt;= i &lt; endSaid are to be said
 * @param endSaid likewise
 * @param again the place from which another route begins: the position, with its direction if that is known
 */
public record GuideState(
        Status status,
        double lon,
        double lat,
        double distanceM,
        int arc,
        double along,
        double travelledM,
        double leftM,
        double leftS,
        int leg,
        double legLeftM,
        double legLeftS,
        int step,
        double stepM,
        double stepS,
        Say say,
        int firstSaid,
        int endSaid,
        Places again) {
    /** Whether a traveller follows his route: the values of macadam_guide_status. */
    public enum Status {
        /** The position fits the route. */
        ON_ROUTE,
        /** It does not, or the traveller is still beside the road on which the route begins: wait for the next one. */
        UNSURE,
        /** The traveller has left the route: find another one. */
        OFF_ROUTE,
        /** The traveller was at the route's end. */
        ARRIVED
    }

    /** How instructions are to be said: the values of macadam_guide_say. */
    public enum Say {
        /** Nothing is to be said. */
        SILENT,
        /** The maneuver is still far. */
        FAR,
        /** The maneuver is near. */
        NEAR,
        /** The maneuver is to be done. */
        NOW
    }

    /**
     * Lists the waypoints of another route, from where the traveller is.
     *
     * @param lonLat the other waypoints: longitude, latitude, ... in degrees
     * @return the waypoints
     */
    public Places again(double... lonLat) {
        final Places.Builder places = again.toBuilder().mergeFrom(Engine.points(lonLat));
        for (int i = 1; i < places.getLonCount(); ++i) places.addHeading(0).addHeadingTolerance(0);
        return places.build();
    }

    /** From what the native library returns. */
    static GuideState of(double[] n) {
        final Places again =
                Places.newBuilder().addLon(n[18]).addLat(n[19]).addHeading(n[20]).addHeadingTolerance(n[21]).build();
        return new GuideState(
                Status.values()[(int) n[0]],
                n[1],
                n[2],
                n[3],
                (int) n[4],
                n[5],
                n[6],
                n[7],
                n[8],
                (int) n[9],
                n[10],
                n[11],
                (int) n[12],
                n[13],
                n[14],
                Say.values()[(int) n[15]],
                (int) n[16],
                (int) n[17],
                again);
    }
}
