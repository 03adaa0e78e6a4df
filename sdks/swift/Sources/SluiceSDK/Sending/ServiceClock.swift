/// The service's time by the `Date` of its answers. The device's clock proves nothing: users and repairs change it.
struct ServiceClock {
    /// The service's time at the start of the monotonic clock.
    private var start: Double?

    /// Reads the `Date` of an answer of the service, which came at this moment of the monotonic clock.
    mutating func hear(_ answer: HTTPAnswer?, at moment: Double) {
        guard let date = answer?.headers["date"].flatMap({ Timestamp.milliseconds(httpDate: $0) }), date > 0 else { return }
        start = date - moment
    }

    /// The service's time at a moment of the monotonic clock; 0 before the first `Date`.
    func at(_ moment: Double) -> Double { start.map { ($0 + moment).rounded() } ?? 0 }
}
