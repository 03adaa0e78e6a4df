import Foundation
import XCTest
@testable import SluiceSDK

/// Random lives of an app with clients of two sources: consents and hosts change, clients end, answers are lost.
final class TwoSourcesTests: XCTestCase {
    private static let lives: UInt64 = 10

    func testTheBooksOfEachSourceAgreeAndNothingIsStoredTwice() async throws {
        for seed in 1...TwoSourcesTests.lives {
            let life = try AppLife(seed)
            try await life.run()
            let stored = life.stored
            XCTAssertEqual(Set(stored).count, stored.count, "seed \(seed)")
            XCTAssertEqual(try life.left(), [], "seed \(seed)")
            for (source, books) in life.books.with({ $0 }) {
                // A denial also reports what is only in memory, and what a service has stored without an answer.
                let there = Set(stored)
                let lost = books.filed.subtracting(there).count
                let unsure = books.taken.filter {
                    there.contains($0) ? books.erased.contains($0) : !books.filed.contains($0)
                }.count
                let why = "seed \(seed) \(source): \(books.reported) reported, \(lost) lost, \(unsure) unsure"
                XCTAssertTrue((lost...lost + unsure).contains(books.reported), why)
            }
        }
    }
}

/// The messages of a source.
private struct Books {
    var taken: Set<String> = []
    /// Messages that were in a file.
    var filed: Set<String> = []
    var confirmed: Set<String> = []
    /// Messages that waited when consent was denied.
    var erased: Set<String> = []
    var reported = 0
}

private final class AppLife {
    private static let sources = ["Source000001", "Source000002"]
    private static let hosts = ["https://sluice.test", "https://other.test"]
    private static let steps = 60
    private static let hour = 3_600_000.0

    private struct Running {
        let client: Sluice
        let source: String
        let life: Life
    }

    let books = Guarded<[String: Books]>(Dictionary(uniqueKeysWithValues: AppLife.sources.map { ($0, Books()) }))
    private let service: RandomService
    private let dice: Dice
    private let clock = FakeClock(1_769_860_800_000)
    private let folder: URL
    private var running: [Running] = []
    /// The inboxes of all clients, also of those that have ended.
    private var inboxes: [Inbox] = []
    private var messages = 0

    init(_ seed: UInt64) throws {
        dice = Dice(seed)
        service = RandomService(dice: dice, books: books)
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("two-sources-\(UUID().uuidString)")
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var stored: [String] { service.stored.with { $0 } }

    func run() async throws {
        for _ in 0..<AppLife.steps { try await step() }
        service.isCalm.with { $0 = true }
        while !running.isEmpty { try await kill() }
        await settle()
        for source in AppLife.sources { start(source, AppLife.hosts[0]) }
        for _ in 0..<8 { await advance(AppLife.hour) }
        for one in running { one.client.parts?.end() }
        await settle()
    }

    /// Names of the files that are left.
    func left() throws -> [String] { try files().map(\.lastPathComponent) }

    private func files() throws -> [URL] {
        let queue = folder.appendingPathComponent("queue")
        guard FileManager.default.fileExists(atPath: queue.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(at: queue, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "batch" }
    }

    private func step() async throws {
        if running.isEmpty { start(dice.pick(AppLife.sources), dice.pick(AppLife.hosts)) }
        let one = dice.pick(running)
        switch dice.below(100) {
        case 0..<55: for _ in 0..<dice.below(8) { try track(one) }
        case 55..<58: one.client.parts?.hide()
        case 58..<61: one.client.parts?.show()
        case 61..<63: one.client.networkIsBack()
        case 63..<67: one.client.parts?.flush { _ in }
        case 67..<74: try await kill()
        case 74..<81: if running.count < 3 { start(dice.pick(AppLife.sources), dice.pick(AppLife.hosts)) }
        case 81..<89: try await changeConsent(one)
        default: await advance(dice.next() * 120_000)
        }
        try note()
        // Without time, work that a call has left to the outbox may meet the end of the client.
        if dice.below(2) == 0 { await advance(dice.next() * 2_500) }
    }

    private func track(_ one: Running) throws {
        messages += 1
        let name = messages % 9 == 0 ? BatchKind.registrationEvent : "e"
        let isTaken = one.client.track(name, ["n": messages])
        if isTaken { books.with { [messages] in _ = $0[one.source]?.taken.insert("n\(messages)") } }
        try note()
    }

    private func kill() async throws {
        let at = dice.below(running.count)
        if dice.below(2) == 0 { await settle() }
        try note()
        let one = running.remove(at: at)
        one.life.end()
        one.client.parts?.end()
    }

    private func changeConsent(_ one: Running) async throws {
        try note()
        let next = dice.pick([Consent.granted, .pending, .denied])
        if next == .denied {
            books.with { all in
                guard var books = all[one.source] else { return }
                books.erased.formUnion(books.taken.subtracting(books.confirmed))
                all[one.source] = books
            }
        }
        one.client.consent(next)
        // An end between erasing and reporting would leave nobody to report.
        await settle()
    }

    private func start(_ source: String, _ host: String) {
        var configuration = Configuration(apiKey: "k", sourceIdentifier: source, apiHost: host)
        configuration.folder = folder
        configuration.flushInterval = 2
        configuration.errorHandler = { [books] error in books.with { $0[source]?.reported += error.count ?? 0 } }
        let life = Life()
        var ports = Ports()
        ports.clock = LivingClock(clock: clock, life: life)
        ports.random = dice
        ports.transport = RandomTransport(service: service, clock: ports.clock, source: source)
        ports.context = { [:] }
        ports.inBackground = { _, work in work {} }
        let client = Sluice(configuration, ports)
        if let inbox = client.parts?.inbox { inboxes.append(inbox) }
        running.append(Running(client: client, source: source, life: life))
    }

    /// Notes which messages are in files.
    private func note() throws {
        for file in try files() {
            // Another thread may remove it.
            guard let data = try? Data(contentsOf: file), case .batch(let content) = BatchFormat.read([UInt8](data)) else { continue }
            let names = (content.messages + content.later).compactMap(nameOf)
            books.with { $0[content.origin.sourceIdentifier]?.filed.formUnion(names) }
        }
    }

    private func advance(_ milliseconds: Double) async { await clock.advance(milliseconds) { await self.settle() } }

    private func settle() async {
        for inbox in inboxes {
            await withCheckedContinuation { done in inbox.whenIdle { done.resume() } }
        }
    }
}

private func nameOf(_ text: String) -> String? { JSON(parsing: text)?["properties"]?["n"]?.int.map { "n\($0)" } }

/// Random numbers, the same for the same seed (SplitMix64).
private final class Dice: Randomness {
    private let state: Guarded<UInt64>

    init(_ seed: UInt64) { state = Guarded(seed) }

    private func draw() -> UInt64 {
        state.with { state in
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    /// From 0 to under 1.
    func next() -> Double { Double(draw() >> 11) / 9_007_199_254_740_992 }
    func below(_ end: Int) -> Int { Int(next() * Double(end)) }
    func pick<Element>(_ all: [Element]) -> Element { all[below(all.count)] }
    func fraction() -> Double { next() }
    func uuid(_ purpose: IdPurpose) -> String { "\(purpose.rawValue)-\(draw())" }
}

/// Services of two hosts, none of which knows what the other has stored. Their quotas are used up now and then.
private final class RandomService: Sendable {
    let stored = Guarded<[String]>([])
    let isCalm = Guarded(false)
    private let ids = Guarded<Set<String>>([])
    private let dice: Dice
    private let books: Guarded<[String: Books]>

    init(dice: Dice, books: Guarded<[String: Books]>) {
        self.dice = dice
        self.books = books
    }

    func roll() -> Double { isCalm.with { $0 } ? 1 : dice.next() }

    func answer(_ request: HTTPRequest, _ source: String, _ roll: Double) -> Result<HTTPAnswer, any Error> {
        if roll < 0.05 {
            let body = "[{\"field\":\"\",\"message\":\"error.request.quotaExceeded\"}]"
            return .success(HTTPAnswer(status: 429, body: body, headers: ["retry-after": "90"]))
        }
        let texts = (JSON(parsing: request.body ?? "")?["list"]?.list ?? []).map(\.canonical)
        let names = texts.compactMap(nameOf)
        if roll > 0.2 {
            for (place, text) in texts.enumerated() {
                let id = "\(request.url) \(request.headers["Idempotency-Key"] ?? "") \(place) \(text)"
                let isNew = ids.with { $0.insert(id).inserted }
                if isNew, let name = nameOf(text) { stored.with { $0.append(name) } }
            }
        }
        guard roll > 0.45 else { return .failure(NoAnswer("cut")) }
        books.with { $0[source]?.confirmed.formUnion(names) }
        return .success(HTTPAnswer(status: 200, body: "{\"status\":\"QUEUED\"}", headers: [:]))
    }
}

private struct RandomTransport: Transport {
    let service: RandomService
    let clock: any Clock
    let source: String

    func send(_ request: HTTPRequest, _ done: @escaping Reply) -> @Sendable () -> Void {
        let roll = service.roll()
        _ = clock.later(roll * 400) { done(service.answer(request, source, roll)) }
        return {}
    }
}
