package org.macadam;

/** How a traveller is guided. Each method sets an option and returns this object. */
public final class GuideOptions {
    private double accuracyM;
    private double farS;
    private double nearS;
    private double nowS;

    /** Makes the default options. */
    public GuideOptions() {}

    /**
     * Sets the accuracy of positions that have none of their own.
     *
     * @param metres the standard deviation; 0 (the default): 5
     * @return this
     */
    public GuideOptions accuracyM(double metres) {
        accuracyM = metres;
        return this;
    }

    /**
     * Sets how long before a maneuver its instruction is given.
     *
     * @param farS seconds before, for the first time; 0 (the default): 30
     * @param nearS seconds before, for the second time; 0: 10
     * @param nowS seconds before, to be done now; 0: 4
     * @return this
     */
    public GuideOptions speakBefore(double farS, double nearS, double nowS) {
        this.farS = farS;
        this.nearS = nearS;
        this.nowS = nowS;
        return this;
    }

    /** As the native library reads them. `duration`: which of the route's values is the duration. */
    double[] numbers(int duration) {
        return new double[] {duration, accuracyM, farS, nearS, nowS};
    }
}
