"""Draws routes as a picture and as a page that one can move and zoom: for the examples tour.py and tour_vroom.py.

needs: matplotlib, folium
"""

import folium
import macadam
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def draw(routes: dict[str, macadam.Route], png: str, html: str) -> None:
    """`routes` maps a name to a macadam.Route. The page shows them over OpenStreetMap's tiles."""
    figure, axes = plt.subplots(figsize=(8, 8))
    page = folium.Map()
    for number, (name, route) in enumerate(routes.items()):
        colour = matplotlib.colors.to_hex(plt.cm.tab20(number % 20))
        axes.plot(*route.coordinates.T, color=colour, label=name, linewidth=1)
        axes.scatter(route.waypoints.lon, route.waypoints.lat, color=colour, s=8)
        folium.PolyLine(route.coordinates[:, ::-1].round(5).tolist(), color=colour, tooltip=name).add_to(page)
    page.fit_bounds(page.get_bounds())
    page.save(html)
    axes.legend(fontsize="small")
    axes.set_aspect(1.5)
    figure.savefig(png, dpi=60)
