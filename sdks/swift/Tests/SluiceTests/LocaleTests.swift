import XCTest
@testable import SluiceSDK
#if canImport(Glibc)
import Glibc
#endif

/// The wire is the same in every locale. Foundation of Linux has one locale only (swift-foundation#717), so here the
/// locale of the C library is set, which printf and strtod follow; sources are searched for calls that follow
/// Foundation's. On Apple's systems all tests run once with the user's locale set to fa_IR (.github/workflows/ios.yml).
final class LocaleTests: XCTestCase {
    private static let zone = "Asia/Tehran"

    override func setUpWithError() throws {
        guard setlocale(LC_ALL, "fa_IR.UTF-8") != nil else { throw XCTSkip("this machine has no fa_IR") }
        setenv("TZ", LocaleTests.zone, 1)
        tzset()
    }

    override func tearDown() {
        setlocale(LC_ALL, "C.UTF-8")
        unsetenv("TZ")
        tzset()
    }

    func testTheLocaleIsInEffect() throws {
        let sign = localeconv().pointee.mon_decimal_point.map { String(cString: $0) }
        XCTAssertEqual(sign, "٫")
    }

    func testADayInPersian() async throws {
        // 1 Farvardin 1405, the Persian new year.
        let start = 1_774_051_200_000.0
        let clock = FakeClock(start)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("day-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let bodies = Guarded<[String]>([])
        var ports = Ports()
        ports.clock = clock
        ports.transport = Taking(bodies: bodies)
        let client = Sluice(
            Configuration(apiKey: "k", sourceIdentifier: "Source000001", apiHost: "https://sluice.test") { $0.folder = folder },
            ports)
        let settle = { await withCheckedContinuation { done in client.parts?.inbox.whenIdle { done.resume() } } }
        for minute in 0..<1_440 {
            XCTAssertTrue(client.track("minute", ["n": minute, "half": Double(minute) + 0.5, "city": "تهران"]))
            await clock.advance(60_000, settle: settle)
        }
        let messages = bodies.with { $0 }.flatMap { JSON(parsing: $0)?["list"]?.list ?? [] }
        XCTAssertEqual(messages.count, 1_440)
        for (minute, message) in messages.enumerated() {
            let (hour, rest) = minute.quotientAndRemainder(dividingBy: 60)
            let time = "2026-03-21T\(hour < 10 ? "0" : "")\(hour):\(rest < 10 ? "0" : "")\(rest):00.000Z"
            XCTAssertEqual(message["timestamp"]?.text, time)
            XCTAssertEqual(message["properties"]?["n"]?.int, minute)
            XCTAssertEqual(message["properties"]?["half"]?.double, Double(minute) + 0.5)
        }
        let digits = bodies.with { $0.joined() }.unicodeScalars.filter { (0x660...0x669).contains($0.value) || (0x6F0...0x6F9).contains($0.value) }
        XCTAssertEqual(digits.count, 0)
    }

    func testVectorsInPersian() async throws {
        for file in ["envelope", "push"] {
            for vector in try Contract.vectors(file) {
                guard vector["platform"]?.list?.compactMap(\.text).contains("ios") ?? true else { continue }
                do { try await VectorRun(vector).run() } catch { XCTFail("\(vector["name"]?.text ?? ""): \(error)") }
            }
        }
    }

    func testNoSourceUsesWhatFollowsTheLocale() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Sources").standardizedFileURL
        let words = ["Formatter", "String(format", ".formatted(", "ocalized", "Calendar", "strtod", "printf", "DateComponents"]
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        var count = 0
        for case let file as URL in files! where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for word in words { XCTAssertFalse(text.contains(word), "\(file.lastPathComponent) has \(word)") }
            count += 1
        }
        XCTAssertGreaterThan(count, 30)
    }
}

private struct Taking: Transport {
    let bodies: Guarded<[String]>

    func send(_ request: HTTPRequest, _ done: @escaping Reply) -> @Sendable () -> Void {
        bodies.with { $0.append(request.body ?? "") }
        done(.success(HTTPAnswer(status: 200, body: "{\"status\":\"QUEUED\"}", headers: [:])))
        return {}
    }
}
