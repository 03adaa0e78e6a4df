import Foundation
#if canImport(Glibc)
import Glibc
#endif

struct SystemClock: Clock {
    func now() -> Double { (Date().timeIntervalSince1970 * 1_000).rounded(.down) }

    func monotonic() -> Double {
        var time = timespec()
        #if canImport(Darwin)
        clock_gettime(CLOCK_MONOTONIC, &time)  // goes on during sleep on Darwin
        #else
        clock_gettime(CLOCK_BOOTTIME, &time)
        #endif
        return Double(time.tv_sec) * 1_000 + Double(time.tv_nsec) / 1_000_000
    }

    func later(_ milliseconds: Double, _ work: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let task = Task {
            let nanoseconds = UInt64(max(0, min(milliseconds, 1e12)) * 1_000_000)
            guard (try? await Task.sleep(nanoseconds: nanoseconds)) != nil else { return }
            work()
        }
        return { task.cancel() }
    }
}
