import Foundation
@testable import SluiceSDK

/// Whether a client still lives: after a crash nothing that it began continues.
final class Life: Sendable {
    private let alive = Guarded(true)
    var isAlive: Bool { alive.with { $0 } }
    func end() { alive.with { $0 = false } }
}

struct NoRoom: Error {}

/// Device, network and service of one vector.
final class VectorWorld: Sendable {
    struct State {
        var requests: [HTTPRequest] = []
        var reports: [SluiceError] = []
        var log: [String] = []
        var answers: [JSON] = []
        var fractions: [Double]
        var uuids: [String: [String]]
        var counts: [String: Int] = [:]
        var isFull = false
        /// Messages that the service stored, by source, key, place and value.
        var ids: Set<String> = []
        var stored: [JSON] = []
        var clients: [String: (client: Sluice, life: Life)] = [:]
    }

    let clock: FakeClock
    let folder: URL
    let state: Guarded<State>
    private let fill: [String: String]

    init(_ vector: JSON, _ fill: [String: String]) {
        let start = vector["clock"]?.text.flatMap(VectorWorld.time) ?? 1_769_860_800_000
        clock = FakeClock(start)
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("sluice-\(UUID().uuidString)")
        self.fill = fill
        state = Guarded(State(
            fractions: (vector["random"]?.list ?? []).compactMap(\.double),
            uuids: Dictionary((vector["uuids"]?.members ?? []).map { ($0.name, ($0.value.list ?? []).compactMap(\.text)) }) { $1 }))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    static func time(_ text: String) -> Double? {
        let formatter = ISO8601DateFormatter()
        for options in [[.withInternetDateTime, .withFractionalSeconds], [.withInternetDateTime]] as [ISO8601DateFormatter.Options] {
            formatter.formatOptions = options
            if let date = formatter.date(from: text) { return (date.timeIntervalSince1970 * 1_000).rounded() }
        }
        return nil
    }

    func client(_ name: String) throws -> Sluice {
        guard let found = state.with({ $0.clients[name]?.client }) else { throw Deviation("no client \(name)") }
        return found
    }

    /// Starts a client, in place of an earlier one of this name, which ends like a crash.
    func start(_ name: String, _ config: [JSON]) {
        drop(name)
        func member(_ member: String) -> JSON? { config.compactMap { $0[member] }.last }
        let credentials = member("credentials")
        var configuration = Configuration(
            apiKey: credentials?["apiKey"]?.text ?? fill["apiKey"] ?? "",
            sourceIdentifier: credentials?["sourceIdentifier"]?.text ?? fill["sourceIdentifier"] ?? "",
            apiHost: member("host")?.text ?? "https://sluice.test")
        configuration.eventsPath = member("eventsPath")?.text
        // Defaults of the contract.
        configuration.maxAge = 7 * 86_400
        configuration.flushInterval = 2
        configuration.folder = folder
        configuration.debug = true
        switch member("consent")?.text {
        case "pending": configuration.consent = .pending
        case "denied": configuration.consent = .denied
        default: break
        }
        if let value = member("flushAt")?.int { configuration.flushAt = value }
        if let value = member("flushInterval")?.double { configuration.flushInterval = value / 1_000 }
        if let value = member("maxAge")?.double { configuration.maxAge = value / 1_000 }
        if let value = member("maxMessages")?.int { configuration.maxMessages = value }
        if let value = member("maxBytes")?.int { configuration.maxBytes = value }
        if let value = member("isSender")?.bool { configuration.isSender = value }
        configuration.plugins = (member("plugins")?.list ?? []).compactMap(\.text).map(VectorWorld.plugin)
        configuration.errorHandler = { [weak self] error in self?.state.with { $0.reports.append(error) } }
        let life = Life()
        let client = Sluice(configuration, ports(life, member("context")))
        state.with { $0.clients[name] = (client, life) }
    }

    /// Ends a client like a crash.
    func drop(_ name: String) {
        state.with { $0.clients[name]?.life.end() }
        let dropped = state.with { $0.clients.removeValue(forKey: name) }
        dropped?.client.parts?.end()
    }

    func end() {
        for name in state.with({ Array($0.clients.keys) }) { drop(name) }
    }

    /// Waits until nothing is left but timers and requests that hang.
    func settle() async {
        for client in state.with({ $0.clients.values.map(\.client) }) {
            await withCheckedContinuation { done in
                guard let inbox = client.parts?.inbox else { return done.resume() }
                inbox.whenIdle { done.resume() }
            }
        }
    }

    private func ports(_ life: Life, _ context: JSON?) -> Ports {
        var ports = Ports()
        ports.sdk = ("sluice-test", "1.2.3")
        ports.clock = LivingClock(clock: clock, life: life)
        ports.random = FakeRandomness(state: state)
        ports.transport = FakeTransport(state: state)
        ports.context = { context?.dictionary ?? [:] }
        ports.inBackground = { _, work in work {} }
        ports.packageName = "tech.sluice.test"
        ports.room = { [weak self] in if self?.state.with({ $0.isFull }) == true { throw NoRoom() } }
        ports.log = { [weak self] text in self?.state.with { $0.log.append(text) } }
        return ports
    }

    private static func plugin(_ text: String) -> Plugin {
        let parts = text.split(separator: ":").map(String.init)
        return { message in
            var changed = message
            if parts[0] == "context" {
                changed.context[parts[1]] = true
                return changed
            }
            guard message.event == parts[1] else { return message }
            switch parts[0] {
            case "throw": throw Deviation("the plugin fails")
            case "rename":
                changed.event = parts[2]
                return changed
            default: return nil
            }
        }
    }
}

struct LivingClock: Clock {
    let clock: FakeClock
    let life: Life
    func now() -> Double { clock.now() }
    func monotonic() -> Double { clock.monotonic() }
    func later(_ milliseconds: Double, _ work: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        clock.later(milliseconds) { [life] in if life.isAlive { work() } }
    }
}

private struct FakeRandomness: Randomness {
    let state: Guarded<VectorWorld.State>

    func fraction() -> Double { state.with { $0.fractions.isEmpty ? 0.5 : $0.fractions.removeFirst() } }

    func uuid(_ purpose: IdPurpose) -> String {
        state.with { state in
            if let given = state.uuids[purpose.rawValue], !given.isEmpty {
                state.uuids[purpose.rawValue] = Array(given.dropFirst())
                return given[0]
            }
            state.counts[purpose.rawValue, default: 0] += 1
            return "\(purpose.rawValue)-\(state.counts[purpose.rawValue] ?? 0)"
        }
    }
}

/// The network and the model of the service.
private struct FakeTransport: Transport {
    let state: Guarded<VectorWorld.State>

    func send(_ request: HTTPRequest, _ done: @escaping Reply) -> @Sendable () -> Void {
        let answer = state.with { state in
            state.requests.append(request)
            return state.answers.isEmpty ? .string("queued") : state.answers.removeFirst()
        }
        switch answer.text {
        case "hang": break
        case "cut-before": done(.failure(NoAnswer("cut")))
        case "cut-after":
            store(request)
            done(.failure(NoAnswer("cut")))
        default: done(.success(answered(request, answer)))
        }
        return {}
    }

    private func answered(_ request: HTTPRequest, _ answer: JSON) -> HTTPAnswer {
        let status = answer["status"]?.int ?? 200
        if answer["stores"]?.bool ?? (status == 200) { store(request) }
        let standard = status == 200 ? "{\"status\":\"QUEUED\"}" : "[{\"field\":\"\",\"message\":\"error.of.the.vector\"}]"
        let body = answer["body"].map { $0.text ?? $0.canonical } ?? standard
        let headers = (answer["headers"]?.members ?? []).map { ($0.name, $0.value.text ?? "") }
        return HTTPAnswer(status: status, body: body, headers: Dictionary(headers) { $1 })
    }

    private func store(_ request: HTTPRequest) {
        guard request.method == "POST", let list = JSON(parsing: request.body ?? "")?["list"]?.list else { return }
        let source = request.url.components(separatedBy: "/sdk/").last ?? ""
        state.with { state in
            for (place, item) in list.enumerated() {
                let id = "\(source) \(request.headers["Idempotency-Key"] ?? "") \(place) \(item.canonical)"
                if state.ids.insert(id).inserted { state.stored.append(item) }
            }
        }
    }
}
