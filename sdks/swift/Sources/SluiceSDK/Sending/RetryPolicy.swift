import Foundation

enum RetryPolicy {
    private static let second = 1_000.0
    private static let minute = 60_000.0
    private static let hour = 3_600_000.0
    private static let day = 86_400_000.0
    private static let minSpread = 10_000.0

    /// Wait after `failures` failed tries in a row: the larger of Retry-After and half of the backoff, plus jitter over
    /// the whole backoff, at least 10 s. The fixed half keeps clients from coming back all at once after a long outage.
    static func wait(failures: Int, retryAfter: Double, fraction: Double) -> Double {
        let backoff = doubled(second, failures, minute)
        return max(retryAfter, backoff / 2) + fraction * max(minSpread, backoff)
    }

    /// Rest after `times` permanent errors in a row, plus up to a minute of jitter.
    static func rest(times: Int, fraction: Double) -> Double {
        doubled(10 * minute, times, hour) + fraction * minute
    }

    /// Retry-After in milliseconds, from seconds or a date; 0 without the header. At most a day, or five minutes if
    /// something else than the service has answered: a portal that one leaves must not stop a client for a day.
    static func retryAfter(_ answer: HTTPAnswer?, now: Double, isOfService: Bool) -> Double {
        let maximum = isOfService ? day : 5 * minute
        guard let value = answer?.headers["retry-after"]?.trimmingCharacters(in: .whitespaces) else { return 0 }
        if let seconds = Double(value), seconds.isFinite { return min(maximum, max(0, seconds * second)) }
        // Compared with the answer's own date, because the device's clock can be wrong by days.
        let sent = answer?.headers["date"].flatMap { Timestamp.milliseconds(httpDate: $0) } ?? now
        return min(maximum, max(0, (Timestamp.milliseconds(httpDate: value) ?? sent) - sent))
    }

    /// Doubles with each of `times`, up to `max`.
    private static func doubled(_ first: Double, _ times: Int, _ max: Double) -> Double {
        min(max, first * pow(2, Double(times - 1)))
    }
}
