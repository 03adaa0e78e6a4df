import Foundation
#if SLUICE_STUBS
import ExpiringActivity
#endif

/// Time to finish work while the app is being suspended, by Foundation's own means, which extensions have too.
enum BackgroundActivity {
    /// Calls `done` at its end.
    typealias Work = @Sendable (_ done: @escaping @Sendable () -> Void) -> Void

    private static let maxWait = DispatchTimeInterval.seconds(25)

    /// Work is done even if the system grants no time.
    @Sendable static func run(_ reason: String, _ work: @escaping Work) {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS) || SLUICE_STUBS
        let finished = DispatchSemaphore(value: 0)
        let hasBegun = Guarded(false)
        ProcessInfo.processInfo.performExpiringActivity(withReason: reason) { isExpired in
            let isFirst = hasBegun.with { begun in
                defer { begun = true }
                return !begun
            }
            if isFirst { work { finished.signal() } }
            // The system ends the process if this block is still running when time is up.
            if isExpired { finished.signal() } else { _ = finished.wait(timeout: .now() + maxWait) }
        }
        #else
        work {}
        #endif
    }
}
