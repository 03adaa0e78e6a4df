import Foundation
@testable import SluiceSDK

/// A clock on which time passes only by `advance`.
final class FakeClock: Clock {
    private struct Timer {
        let at: Double
        let order: Int
        let work: @Sendable () -> Void
    }

    private struct State {
        var wall: Double
        var elapsed = 0.0
        var order = 0
        var timers: [Timer] = []

        mutating func takeDue(by end: Double) -> Timer? {
            let first = timers.filter { $0.at <= end }.min { ($0.at, $0.order) < ($1.at, $1.order) }
            guard let first else { return nil }
            timers.removeAll { $0.order == first.order }
            elapsed = max(elapsed, first.at)
            return first
        }
    }

    private let state: Guarded<State>

    init(_ wall: Double) { state = Guarded(State(wall: wall)) }

    func now() -> Double { state.with { $0.wall + $0.elapsed } }
    func monotonic() -> Double { state.with { $0.elapsed } }

    func later(_ milliseconds: Double, _ work: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let order = state.with { state in
            state.order += 1
            state.timers.append(Timer(at: state.elapsed + max(0, milliseconds), order: state.order, work: work))
            return state.order
        }
        return { [weak self] in self?.state.with { $0.timers.removeAll { $0.order == order } } }
    }

    /// Sets the wall clock, like a user; timers are not affected.
    func set(_ time: Double) { state.with { $0.wall = time - $0.elapsed } }

    /// Lets time pass. Timers fire in order, and the work of each is done before the next.
    func advance(_ milliseconds: Double, settle: () async -> Void) async {
        let end = state.with { $0.elapsed } + milliseconds
        await settle()
        while let timer = state.with({ $0.takeDue(by: end) }) {
            timer.work()
            await settle()
        }
        state.with { $0.elapsed = end }
    }
}
