import TestSupport
import XCTest
@testable import SluiceSDK

final class ClientTests: XCTestCase {
    private var folder = URL(fileURLWithPath: "/")
    private let reports = Guarded<[SluiceError]>([])

    override func setUp() {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("client-\(UUID().uuidString)")
    }

    override func tearDown() { try? FileManager.default.removeItem(at: folder) }

    private func configuration(_ host: String, key: String = "k", source: String = "Source000001") -> Configuration {
        Configuration(apiKey: key, sourceIdentifier: source, apiHost: host) { [reports, folder] in
            $0.folder = folder
            $0.errorHandler = { error in reports.with { $0.append(error) } }
        }
    }

    private func codes() -> [SluiceError.Code] { reports.with { $0.map(\.code) } }

    private func until(_ condition: () -> Bool) async throws {
        for _ in 0..<500 where !condition() { try await Task.sleep(nanoseconds: 10_000_000) }
        XCTAssertTrue(condition())
    }

    func testTrackIsOnDiskThenSentThenDeleted() async throws {
        let server = try LocalServer()
        let client = Sluice(configuration(server.url))
        XCTAssertTrue(client.track("opened", ["total": 49.9]))
        let queue = folder.appendingPathComponent("queue").path
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: queue).count, 1)
        let result = await client.flush()
        XCTAssertEqual(result, FlushResult(sent: 1, left: 0))
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: queue).count, 0)
        let request = try XCTUnwrap(server.requests.first)
        XCTAssertTrue(request.hasPrefix("POST /api/tracker/sdk/Source000001/trackBatch HTTP/1.1"))
        XCTAssertTrue(request.contains("Authorization: Bearer k"))
        XCTAssertTrue(request.contains("\"total\":49.9"))
        XCTAssertEqual(codes(), [])
    }

    func testABlankCredentialDisablesInEveryCombination() async throws {
        let values = ["ok", "", "  ", "\n"]
        for key in values {
            for source in values {
                for host in values where [key, source, host].contains(where: { $0 != "ok" }) {
                    reports.with { $0 = [] }
                    let client = Sluice(configuration(host, key: key, source: source))
                    XCTAssertFalse(client.track("e"))
                    XCTAssertFalse(client.identify("u-1"))
                    XCTAssertFalse(client.setDeviceToken(Data([1])))
                    XCTAssertFalse(Sluice.Notification.refreshToken("t", client))
                    client.reset()
                    client.consent(.granted)
                    client.networkIsBack()
                    let push = try XCTUnwrap(PushNotification(["source": "sluice-push", "id": "t"]))
                    client.report(NotificationInteraction(.clicked, push))
                    let result = await client.close()
                    XCTAssertEqual(result, FlushResult(sent: 0, left: 0))
                    XCTAssertNil(client.anonymousId)
                    XCTAssertNil(client.deviceId)
                    XCTAssertEqual(codes(), [.disabled], "\(key)|\(source)|\(host)")
                }
            }
        }
        XCTAssertFalse(FileManager.default.fileExists(atPath: folder.path))
    }

    func testNoBatchIsKeptForLongerThanThirtyDays() {
        let given = configuration("https://sluice.test")
        for (seconds, milliseconds) in [(-1.0, 2_592_000_000.0), (5, 5_000), (.infinity, 2_592_000_000)] {
            var changed = given
            changed.maxAge = seconds
            XCTAssertEqual(Settings(changed).maxAge, milliseconds)
        }
    }

    func testADroppedValueIsReportedAsStoredWithoutIt() async throws {
        let body = #"{"status":"QUEUED","dropped":[{"field":"list[0].properties.n","message":"x"}]}"#
        let server = try LocalServer("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)")
        let client = Sluice(configuration(server.url))
        client.track("e")
        _ = await client.flush()
        XCTAssertEqual(reports.with { $0.map(\.message) }, ["stored without list[0].properties.n: x"])
    }

    func testARedirectOrAPortalIsNotAnAnswer() async throws {
        let answers = [
            "HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 13\r\nConnection: close\r\n\r\n<html></html>",
        ]
        for answer in answers {
            let server = try LocalServer(answer)
            let client = Sluice(configuration(server.url))
            client.track("e")
            let result = await client.flush()
            XCTAssertEqual(result.sent, 0)
            XCTAssertGreaterThan(result.left, 0)
            XCTAssertEqual(server.requests.count, 1)
            client.consent(.denied)
        }
    }

    /// The events that a server got, by name.
    private func events(_ server: LocalServer) -> [String: [JSON]] {
        let bodies = server.requests.compactMap { $0.components(separatedBy: "\r\n\r\n").last }
        return Dictionary(grouping: bodies.flatMap { JSON(parsing: $0)?["list"]?.list ?? [] }) { $0["event"]?.text ?? "" }
    }

    func testCallsWaitUntilTheValuesCanBeReadAndTheOldDeviceReturns() async throws {
        let server = try LocalServer()
        let first = Sluice(configuration(server.url))
        let device = try XCTUnwrap(first.deviceId)
        _ = await first.close()
        // A link to itself cannot be read, like a file of a locked device.
        let file = folder.appendingPathComponent("values/Source000001.json")
        let kept = folder.appendingPathComponent("kept")
        try FileManager.default.moveItem(at: file, to: kept)
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: file)
        let client = Sluice(configuration(server.url))
        let before = Date()
        XCTAssertTrue(client.track("early"))
        XCTAssertTrue(client.setDeviceToken("token"))
        client.report(NotificationInteraction(.clicked, try XCTUnwrap(PushNotification(["source": "sluice-push", "id": "t"]))))
        XCTAssertNil(client.deviceId)
        XCTAssertEqual(codes(), [.storage])
        let waiting = await client.flush()
        XCTAssertEqual(waiting, FlushResult(sent: 0, left: 3))
        try FileManager.default.removeItem(at: file)
        try FileManager.default.moveItem(at: kept, to: file)
        client.parts?.show()
        let result = await client.flush()
        XCTAssertEqual(result, FlushResult(sent: 3, left: 0))
        XCTAssertEqual(client.deviceId, device)
        let byName = events(server)
        XCTAssertEqual(byName.mapValues(\.count), ["early": 1, "bb_notification_registered": 1, "bb_notification_clicked": 1])
        XCTAssertEqual(byName["bb_notification_registered"]?[0]["properties"]?["device_id"]?.text, device)
        let message = try XCTUnwrap(byName["early"]?[0])
        XCTAssertEqual(message["context"]?["sdk"]?["device"]?.text, device)
        XCTAssertEqual(message["timestamp"]?.text?.prefix(16), Timestamp.text(before)?.prefix(16))
    }

    func testACallMadeWhileOthersCatchUpComesAfterThem() throws {
        let values = folder.appendingPathComponent("values")
        try FileManager.default.createDirectory(at: values, withIntermediateDirectories: true)
        let file = values.appendingPathComponent("Source000001.json")
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: file)
        let held = Guarded<Sluice?>(nil)
        var configuration = configuration("http://127.0.0.1:1")
        configuration.plugins = [
            { message in
                if message.event == "first" { _ = held.with { $0 }?.track("last") }
                return message
            }
        ]
        let client = Sluice(configuration)
        held.with { $0 = client }
        client.identify("u-1")
        client.track("first")
        client.reset()
        client.track("second")
        try FileManager.default.removeItem(at: file)
        client.parts?.show()
        let queue = DeviceFolder(configuration, room: {}).queue
        let messages = try queue.list().batches.filter { $0.origin.kind == .track }
            .flatMap { try queue.read($0.key) ?? [] }.compactMap { JSON(parsing: $0) }
        XCTAssertEqual(messages.map { $0["event"]?.text }, ["first", "second", "last"])
        XCTAssertEqual(messages.map { $0["userId"]?.text }, ["u-1", nil, nil])
        held.with { $0 = nil }
    }

    func testAppAndExtensionShareAFolder() async throws {
        let server = try LocalServer()
        let app = Sluice(configuration(server.url))
        app.track("a")
        var other = configuration(server.url)
        other.isSender = false
        let service = Sluice(other)
        service.track("b")
        app.track("c")
        XCTAssertEqual(app.deviceId, service.deviceId)
        let left = await service.flush()
        XCTAssertEqual(left.left, 0)
        _ = await app.flush()
        app.parts?.show()
        _ = await app.flush()
        let sent = server.requests.flatMap { request in
            JSON(parsing: request.components(separatedBy: "\r\n\r\n").last ?? "")?["list"]?.list?.compactMap { $0["event"]?.text } ?? []
        }
        XCTAssertEqual(Set(sent), ["a", "b", "c"])
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent("queue").path), [])
    }

    func testTheSystemsNotificationSealsAndSends() async throws {
        let server = try LocalServer()
        let client = Sluice(configuration(server.url))
        client.track("a")
        NotificationCenter.default.post(name: .init("UIApplicationDidEnterBackgroundNotification"), object: nil)
        try await until { server.requests.count == 1 }
        _ = await client.close()
    }

    func testTheClientForObjectiveCDoesTheSame() async throws {
        let client = ObjectiveCClient(Sluice(configuration("http://127.0.0.1:1")))
        XCTAssertTrue(client.track("e", properties: ["n": 1]))
        XCTAssertTrue(client.identify("u-1", traits: nil))
        XCTAssertTrue(client.setDeviceToken(Data([1])))
        XCTAssertTrue(client.refreshToken("t"))
        XCTAssertEqual(client.userId, "u-1")
        let left = await withCheckedContinuation { done in client.flush { _, left in done.resume(returning: left) } }
        XCTAssertEqual(left, 4)
    }

    func testSparseEventsInAnOutageCostOneBatch() async throws {
        var configuration = configuration("http://127.0.0.1:1")
        configuration.flushInterval = 0.02
        let client = Sluice(configuration)
        XCTAssertTrue(client.track("first"))
        try await until { client.parts?.recorder.heldBack.contains(.track) == true }
        for n in 0..<15 {
            XCTAssertTrue(client.track("e", ["n": n]))
            try await Task.sleep(nanoseconds: 40_000_000)
        }
        let queue = folder.appendingPathComponent("queue").path
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: queue).count, 2)
        client.parts?.hide()
        let result = await client.flush()
        XCTAssertEqual(result.left, 16)
    }

    func testCloseGivesEverythingBack() async throws {
        #if os(Linux)
        func open() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
        func threads() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count }
        let server = try LocalServer()
        var held: [Sluice] = []
        func life() async {
            let client = Sluice(configuration(server.url))
            client.track("e")
            let closed = await client.close()
            XCTAssertEqual(closed, FlushResult(sent: 1, left: 0))
            held.append(client)
        }
        await life()
        let before = (try open(), try threads())
        for _ in 0..<15 { await life() }
        // Threads of a session end a moment later.
        for _ in 0..<100 where try threads() > before.1 + 4 { try await Task.sleep(nanoseconds: 20_000_000) }
        XCTAssertLessThanOrEqual(try open(), before.0 + 4)
        XCTAssertLessThanOrEqual(try threads(), before.1 + 4)
        let requests = server.requests.count
        NotificationCenter.default.post(name: .init("UIApplicationDidEnterBackgroundNotification"), object: nil)
        for client in held {
            XCTAssertFalse(client.isTaking)
            XCTAssertFalse(client.track("late"))
            client.consent(.granted)
            let result = await client.flush()
            XCTAssertEqual(result.sent, 0)
            let again = await client.close()
            XCTAssertEqual(again.sent, 0)
        }
        XCTAssertEqual(server.requests.count, requests)
        #endif
    }

    func testAnOutageIsReportedOnceAndNothingIsLost() async throws {
        let server = try LocalServer("HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\nConnection: close\r\n\r\nnot found")
        let client = Sluice(configuration(server.url))
        client.track("e")
        for _ in 0..<5 {
            client.parts?.inbox.post { outbox in
                outbox.sending.pausedUntil = 0
                for entry in outbox.entries.values { entry.due = 0 }
            }
            _ = await client.flush()
        }
        XCTAssertEqual(codes(), [.unreachable])
        XCTAssertEqual(server.requests.count, 5)
    }

    func testASecondClientSaysThatItsOptionsDifferAndObeysTheStricterConsent() async throws {
        let first = Sluice(configuration("http://127.0.0.1:1"))
        let same = Sluice(configuration("http://127.0.0.1:1"))
        XCTAssertEqual(codes(), [])
        var other = configuration("http://127.0.0.1:1")
        other.flushAt = 7
        other.consent = .denied
        let second = Sluice(other)
        XCTAssertEqual(codes(), [.invalid])
        for client in [first, same, second] { XCTAssertFalse(client.isTaking) }
        first.consent(.granted)
        for client in [first, same, second] { XCTAssertTrue(client.track("e")) }
        second.consent(.denied)
        XCTAssertFalse(first.track("e"))
        for client in [first, same, second] { _ = await client.close() }
        reports.with { $0 = [] }
        let alone = Sluice(other)
        XCTAssertEqual(codes(), [])
        _ = await alone.close()
    }

    func testRegisteredPropertiesAreOnEveryEvent() async throws {
        let server = try LocalServer()
        let client = Sluice(configuration(server.url))
        client.register(["shop": "north", "plan": "pro"])
        client.track("a", ["plan": "free"])
        client.unregister("shop")
        client.track("b")
        client.setDeviceToken("t")
        _ = await client.close()
        let sent = events(server).compactMapValues { $0.first?["properties"] }
        XCTAssertEqual(sent["a"]?.canonical, "{\"plan\":\"free\",\"shop\":\"north\"}")
        XCTAssertEqual(sent["b"]?.canonical, "{\"plan\":\"pro\"}")
        XCTAssertNil(try XCTUnwrap(sent["bb_notification_registered"])["plan"])
    }

    func testGzipIsThatOfZlib() throws {
        // The output of zlib for `hello` at level 0, except the flag that names the level.
        let hello = Data("hello".utf8)
        let stored = Data([0x01, 0x05, 0x00, 0xFA, 0xFF]) + hello
        let hex = Gzip.framed(stored, of: hello).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        XCTAssertEqual(hex, "1f8b0800000000000003010500faff68656c6c6f86a6103605000000")
        let long = Data(repeating: 0x61, count: 5_000)
        XCTAssertNil(Gzip.compressed(hello) { $0.prefix(1) })
        XCTAssertNil(Gzip.compressed(long) { $0 })
        XCTAssertNil(Gzip.compressed(long) { _ in nil })
        XCTAssertEqual(Gzip.compressed(long) { $0.prefix(20) }?.count, 38)
    }

    func testTheContextHasALocaleByBCP47AndADevice() throws {
        XCTAssertEqual(DeviceContext.tag("fa_IR@calendar=persian"), "fa-IR")
        XCTAssertEqual(DeviceContext.tag("zh-Hans_CN"), "zh-Hans-CN")
        let device = try XCTUnwrap(DeviceContext.current["device"] as? [String: String])
        XCTAssertFalse(try XCTUnwrap(device["model"]).isEmpty)
    }

    func testAHandlerCanCallTheClient() async throws {
        let held = Guarded<Sluice?>(nil)
        var configuration = configuration("http://127.0.0.1:1")
        configuration.errorHandler = { error in
            guard error.code == .invalid else { return }
            _ = held.with { $0 }?.track("handler_was_called")
        }
        let client = Sluice(configuration)
        held.with { $0 = client }
        XCTAssertFalse(client.track("two words"))
        let queue = folder.appendingPathComponent("queue").path
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: queue).count, 1)
        held.with { $0 = nil }
    }

    func testManyThreadsLoseNothing() async throws {
        let server = try LocalServer()
        let client = Sluice(configuration(server.url))
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<8 {
                group.addTask { for n in 0..<100 { client.track("e", ["thread": thread, "n": n]) } }
            }
        }
        let result = await client.flush()
        XCTAssertEqual(result.left, 0)
        let messages = server.requests.flatMap {
            JSON(parsing: $0.components(separatedBy: "\r\n\r\n").last ?? "")?["list"]?.list ?? []
        }
        XCTAssertEqual(messages.count, 800)
        XCTAssertEqual(Set(messages.compactMap { $0["context"]?["sdk"]?["seq"]?.int }), Set(0..<800))
    }

    func testValuesOfEveryTypeOfSwift() throws {
        let leftOut = Guarded<[String]>([])
        let text = try FreeForm.text(
            [
                "int": 1, "int8": Int8(-1), "uint64": UInt64.max, "bool": true, "double": 0.1, "float": Float(0.1),
                "text": "ü", "nil": Optional<Int>.none as Any, "some": Optional(5) as Any,
                "date": Date(timeIntervalSince1970: 0), "url": URL(string: "https://a.test/")!, "list": [1, "a", false] as [Any],
                "nested": ["a": ["b": 1]], "number": NSNumber(value: 7), "null": NSNull(), "decimal": Decimal(string: "1.5")!,
                "other": Data([1]),
            ], root: "p") { path, _ in leftOut.with { $0.append(path) } }
        let expected = """
            {"int":1,"int8":-1,"bool":true,"double":0.1,"float":0.1,"text":"ü","nil":null,"some":5,\
            "date":"1970-01-01T00:00:00.000Z","url":"https://a.test/","list":[1,"a",false],"nested":{"a":{"b":1}},\
            "number":7,"null":null,"decimal":1.5}
            """
        XCTAssertEqual(JSON(parsing: text)?.canonical, JSON(parsing: expected)?.canonical)
        XCTAssertEqual(Set(leftOut.with { $0 }), ["p.uint64", "p.other"])
    }
}
