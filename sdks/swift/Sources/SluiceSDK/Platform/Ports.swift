import Foundation

protocol Clock: Sendable {
    /// Milliseconds since 1970 by the device's clock, which users can change.
    func now() -> Double
    /// Milliseconds that never decrease and continue while the device sleeps.
    func monotonic() -> Double
    /// Calls `work` once after these milliseconds. Returns a function that cancels it.
    func later(_ milliseconds: Double, _ work: @escaping @Sendable () -> Void) -> @Sendable () -> Void
}

enum IdPurpose: String, Sendable {
    case device, anonymousId, stream, key
}

protocol Randomness: Sendable {
    /// A number from 0 to under 1, drawn once for each wait.
    func fraction() -> Double
    func uuid(_ purpose: IdPurpose) -> String
}

struct HTTPRequest: Sendable {
    let method: String
    let url: String
    var headers: [String: String] = [:]
    var body: String?
}

struct HTTPAnswer: Sendable {
    let status: Int
    let body: String
    /// By names in lower case.
    let headers: [String: String]
}

typealias Reply = @Sendable (Result<HTTPAnswer, any Error>) -> Void

protocol Transport: Sendable {
    /// Calls `done` once, with an answer or with what prevented it. Redirects are not followed, and are not answers. Returns
    /// a function that aborts.
    func send(_ request: HTTPRequest, _ done: @escaping Reply) -> @Sendable () -> Void
    /// Releases connections. Requests under way may finish; later ones get no answer.
    func close()
}

extension Transport {
    func close() {}
}

/// Parts of the platform, which tests replace.
struct Ports: Sendable {
    /// Name and version of the library in `context.sdk`.
    var sdk = (name: "sluice-ios", version: Sluice.version)
    var clock: any Clock = SystemClock()
    var random: any Randomness = SystemRandomness()
    var transport: any Transport = URLTransport()
    var context: @Sendable () -> [String: Any] = { DeviceContext.current }
    /// Runs work for which the system grants time while it suspends the app.
    var inBackground: @Sendable (_ reason: String, _ work: @escaping BackgroundActivity.Work) -> Void = BackgroundActivity.run
    /// Name of the app in registrations of push tokens.
    var packageName = Bundle.main.bundleIdentifier
    /// Throws if the disk has no room.
    var room: @Sendable () throws -> Void = {}
    var log: @Sendable (String) -> Void = { FileHandle.standardError.write(Data("sluice: \($0)\n".utf8)) }
}

struct SystemRandomness: Randomness {
    func fraction() -> Double { Double.random(in: 0..<1) }
    func uuid(_ purpose: IdPurpose) -> String { UUID().uuidString.lowercased() }
}
