/* Navigate.java - the heart of a navigation app: each position of the receiver moves a guide, which speaks; a driver who
 * leaves the route gets another one.
 * Run: java -cp macadam.jar:protobuf.jar Navigate.java town.mcd
 *
 * Prints:
 *     route: 91 s
 *       0 s: Head west on Mill Lane
 *       0 s: Continue right onto West Street
 *       7 s: In 90 m, turn right onto Market Street
 *      13 s: Turn right onto Market Street
 *      21 s: off the route
 *     route: 83 s
 *      22 s: Head north on West Street
 *      23 s: In 200 m, continue right onto Ring Road
 *      36 s: In 90 m, continue right onto Ring Road
 *      42 s: Continue right onto Ring Road
 *      74 s: In 300 m, continue right onto East Street
 *      94 s: In 90 m, continue right onto East Street
 *     100 s: Continue right onto East Street
 *     104 s: In 200 m, you will arrive at your destination, on the right
 *     115 s: In 90 m, you will arrive at your destination, on the right
 *     123 s: You have arrived; your destination is on the right
 */
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.macadam.Engine;
import org.macadam.Guide;
import org.macadam.GuideOptions;
import org.macadam.GuideState;
import org.macadam.MacadamException;
import org.macadam.Position;
import org.macadam.v1.Places;
import org.macadam.v1.Query;
import org.macadam.v1.RouteRequest;
import org.macadam.v1.Status;
import org.macadam.v1.Units;

final class Navigate implements AutoCloseable {
    private final Engine engine;
    private final double lon, lat; // of the destination
    private Guide guide;

    Navigate(Engine engine, double lon, double lat) {
        this.engine = engine;
        this.lon = lon;
        this.lat = lat;
    }

    /** Begins at these waypoints, of which the last one is the destination. If there is no route, the old guide stays. */
    void follow(Places waypoints) {
        final RouteRequest request =
                RouteRequest.newBuilder().setWaypoint(waypoints).setLanguage("en").setUnits(Units.UNITS_METRIC).build();
        final Guide found = engine.guide(Query.getDefaultInstance(), request, new GuideOptions());
        close();
        guide = found;
        System.out.printf("route: %.0f s%n", guide.route().getValue(0) / 1000.0);
    }

    /** Begins again from where the driver is: in his direction, or in any if no road near him has that one. */
    private void reroute(GuideState state) {
        final Places waypoints = state.again(lon, lat);
        try {
            follow(waypoints);
        } catch (MacadamException none) {
            if (none.status() != Status.STATUS_NOT_FOUND) throw none;
            follow(waypoints.toBuilder().setHeadingTolerance(0, 0).build());
        }
    }

    /**
     * An app calls this when its receiver reports a position. Returns whether the driver has arrived. Throws if there is no
     * route from there; the next position tries again.
     */
    boolean moved(Position position) {
        if (guide == null) follow(Engine.points(position.lon(), position.lat(), lon, lat));
        final GuideState state = guide.move(position);
        for (int step = state.firstSaid(); step < state.endSaid(); ++step)
            System.out.printf("%3.0f s: %s%n", position.timeS(), text(state, step));
        if (state.status() == GuideState.Status.OFF_ROUTE) {
            System.out.printf("%3.0f s: off the route%n", position.timeS());
            reroute(state);
        }
        return state.status() == GuideState.Status.ARRIVED;
    }

    private String text(GuideState state, int step) {
        return state.say() == GuideState.Say.NOW ? guide.text(step) : guide.text(step, state.stepM());
    }

    @Override
    public void close() {
        if (guide != null) guide.close();
    }

    /** A receiver's positions, one a second at 10 m/s, of a driver who misses the turn into Market Street. */
    private static List<Position> drive() {
        final double[][] corner = {
            {10.0002, 50.0000}, {10.0000, 50.0000}, {10.0000, 50.0039}, {10.0080, 50.0039}, {10.0080, 50.0020}
        };
        final List<Position> positions = new ArrayList<>();
        for (int i = 0; i + 1 < corner.length; ++i) {
            final double east = (corner[i + 1][0] - corner[i][0]) * 71500, north = (corner[i + 1][1] - corner[i][1]) * 111300;
            final double metres = Math.hypot(east, north), heading = Math.toDegrees(Math.atan2(east, north));
            for (double way = 0; way < metres; way += 10) {
                final double share = way / metres;
                positions.add(
                        new Position(
                                corner[i][0] + share * (corner[i + 1][0] - corner[i][0]),
                                corner[i][1] + share * (corner[i + 1][1] - corner[i][1]),
                                positions.size(), 5, (heading + 360) % 360, 10, 10));
            }
        }
        return positions;
    }

    public static void main(String[] arguments) {
        try (Engine engine = Engine.open(Path.of(arguments[0]));
                Navigate app = new Navigate(engine, 10.0078, 50.0021)) {
            for (Position position : drive()) if (app.moved(position)) break;
        }
    }
}
