import Foundation
import TestSupport
import XCTest
#if canImport(Glibc)
import Glibc
#endif
@testable import SluiceSDK

/// Clients, processes and versions of an app that share a folder.
final class SharedFolderTests: XCTestCase {
    private var folder = URL(fileURLWithPath: "/")
    private let reports = Guarded<[SluiceError]>([])

    override func setUp() {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("shared-\(UUID().uuidString)")
    }

    override func tearDown() { try? FileManager.default.removeItem(at: folder) }

    private func client(_ host: String, source: String = "Source000001") -> Sluice {
        Sluice(Configuration(apiKey: "k", sourceIdentifier: source, apiHost: host) { [reports, folder] in
            $0.folder = folder
            $0.errorHandler = { error in reports.with { $0.append(error) } }
        })
    }

    private func until(_ condition: () -> Bool) async throws {
        for _ in 0..<500 where !condition() { try await Task.sleep(nanoseconds: 10_000_000) }
        XCTAssertTrue(condition())
    }

    func testADenialErasesTheEventsOfItsOwnSourceAndSaysHowMany() async throws {
        let offline = client("http://127.0.0.1:1")
        let ads = client("http://127.0.0.1:1", source: "Source000002")
        for _ in 0..<3 { offline.track("of_main") }
        for _ in 0..<30 { ads.track("of_ads") }
        _ = await offline.flush()
        _ = await ads.close()
        offline.consent(.denied)
        try await until { reports.with { $0.contains { $0.code == .denied } } }
        XCTAssertEqual(reports.with { $0.filter { $0.code == .denied }.map(\.count) }, [3])
        let left = try QueueFolder(path: folder.appendingPathComponent("queue").path, room: {}).list().batches
        XCTAssertEqual(left.reduce(0) { $0 + $1.count }, 30)
        XCTAssertEqual(Set(left.map(\.origin.sourceIdentifier)), ["Source000002"])
    }

    func testWhatWaitsGoesToTheHostOfTheNextVersion() async throws {
        let server = try LocalServer()
        let storing = Sluice(Configuration(apiKey: "k", sourceIdentifier: "Source000001", apiHost: "https://old.test") { [folder] in
            $0.folder = folder
            $0.isSender = false
        })
        for n in 0..<3 { storing.track("e\(n)") }
        try await Task.sleep(nanoseconds: 100_000_000)
        storing.parts?.end()
        let next = client(server.url)
        let result = await next.flush()
        XCTAssertEqual(result, FlushResult(sent: 3, left: 0))
        XCTAssertEqual(server.requests.filter { $0.contains("e0") }.count, 1)
    }

    func testTwoProcessesThatStartAtOnceHaveTheIdsOfOneDevice() throws {
        let path = folder.appendingPathComponent("values.json").path
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let other = Guarded(Identity(ValuesFile(path: path, room: {}), SystemRandomness()))
        // Its first event goes out under these ids.
        let first = Guarded<[String]>([])
        // The other process starts after the first one has found nothing, and before it writes.
        let start: @Sendable () -> Void = {
            guard first.with({ $0.isEmpty }) else { return }
            let ids = other.with { identity in
                identity.persist()
                return [identity.device, identity.anonymousId]
            }
            first.with { $0 = ids }
        }
        var identity = Identity(ValuesFile(path: path, room: start), SystemRandomness())
        identity.persist()
        XCTAssertEqual([identity.device, identity.anonymousId], first.with { $0 })
        var next = Identity(ValuesFile(path: path, room: {}), SystemRandomness())
        next.persist()
        XCTAssertEqual([next.device, next.anonymousId], first.with { $0 })
    }

    func testFirstIdsAreWaitedForWhileAnotherProcessWritesIts() throws {
        let path = folder.appendingPathComponent("values.json").path
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let isHeld = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            try? OpenFile.create("\(path).lock", O_RDWR).locked(within: 1) {
                isHeld.signal()
                usleep(200_000)
                try "{\"device\":\"d-1\",\"anonymousId\":\"a-1\"}".write(toFile: path, atomically: true, encoding: .utf8)
            }
        }
        isHeld.wait()
        var identity = Identity(ValuesFile(path: path, room: {}), SystemRandomness())
        identity.persist()
        XCTAssertEqual([identity.device, identity.anonymousId], ["d-1", "a-1"])
    }

    func testAnOutageNamesItsCause() async throws {
        let redirecting = try LocalServer(
            "HTTP/1.1 301 Moved\r\nLocation: https://www.shop.example/private?x=1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        let causes = [redirecting.url: "redirected to https://www.shop.example", "http://127.0.0.1:1": "NSURLErrorDomain -1004"]
        for (host, cause) in causes {
            reports.with { $0 = [] }
            let client = client(host)
            client.track("e")
            for _ in 0..<3 {
                client.parts?.inbox.post { outbox in
                    outbox.sending.pausedUntil = 0
                    for entry in outbox.entries.values { entry.due = 0 }
                }
                _ = await client.flush()
            }
            let report = try XCTUnwrap(reports.with { $0.first { $0.code == .unreachable } })
            XCTAssertTrue(report.message.hasPrefix("\(host): no answer of the service: \(cause)"), report.message)
            XCTAssertFalse(report.message.contains("private"), report.message)
            XCTAssertNotNil(report.cause)
            client.consent(.denied)
            _ = await client.close()
        }
    }

    func testTheSchemeMayHaveCapitalsAndTheDefaultOfFlushIntervalSparesTheBattery() {
        func settings(_ host: String, _ change: (inout Configuration) -> Void = { _ in }) -> Settings {
            Settings(Configuration(apiKey: "k", sourceIdentifier: "s", apiHost: host, change))
        }
        XCTAssertEqual(settings("HTTPS://a.test/").apiHost, "https://a.test")
        XCTAssertEqual(settings("Http://a.test").apiHost, "http://a.test")
        XCTAssertEqual(settings("a.test").apiHost, "https://a.test")
        XCTAssertEqual(settings("a.test").flushInterval, 15_000)
        XCTAssertEqual(settings("a.test") { $0.debug = true }.flushInterval, 2_000)
        XCTAssertEqual(settings("a.test") { $0.debug = true; $0.flushInterval = -1 }.flushInterval, 2_000)
        XCTAssertEqual(settings("a.test") { $0.flushInterval = 5; $0.debug = true }.flushInterval, 5_000)
    }
}
