import Foundation
@testable import SluiceSDK

/// A client with a folder of its own, and a service that records what reaches it.
final class TestPhone: Sendable {
    private final class Recording: Transport {
        let requests = Guarded<[HTTPRequest]>([])
        let isOnline: Bool
        init(isOnline: Bool) { self.isOnline = isOnline }
        func send(_ request: HTTPRequest, _ done: @escaping Reply) -> @Sendable () -> Void {
            requests.with { $0.append(request) }
            done(isOnline ? .success(HTTPAnswer(status: 200, body: "{\"status\":\"QUEUED\"}", headers: [:])) : .failure(NoAnswer("offline")))
            return {}
        }
    }

    let client: Sluice
    private let service: Recording
    private let folder: URL

    init(host: String = "https://sluice.test") {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("phone-\(UUID().uuidString)")
        service = Recording(isOnline: host.hasPrefix("https"))
        var ports = Ports()
        ports.transport = service
        ports.packageName = "tech.sluice.test"
        let folder = folder
        client = Sluice(
            Configuration(apiKey: "k", sourceIdentifier: "Source000001", apiHost: host) {
                $0.folder = folder
                $0.flushInterval = 3_600
            }, ports)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var posts: [HTTPRequest] { service.requests.with { $0.filter { $0.method == "POST" } } }
    var callbacks: [String] {
        service.requests.with { $0.filter { $0.method == "GET" }.map { $0.url.replacingOccurrences(of: "https://sluice.test", with: "") } }
    }

    /// All events that the service has after a flush.
    func events() async throws -> [JSON] {
        _ = await client.flush()
        for _ in 0..<100 where callbacks.count < posts.flatMap(messages).filter({ $0["properties"]?["id"] != nil }).count {
            try await Task.sleep(nanoseconds: 10_000_000)
        }
        return posts.flatMap(messages)
    }

    /// Names of the events that are in files.
    func storedEvents() throws -> [String] {
        let queue = DeviceFolder(Configuration(apiKey: "", sourceIdentifier: "", apiHost: "") { $0.folder = folder }, room: {}).queue
        return try queue.list().batches.flatMap { try queue.read($0.key) ?? [] }.compactMap { JSON(parsing: $0)?["event"]?.text }
    }

    func until(_ condition: () -> Bool) async throws {
        for _ in 0..<500 {
            if condition() { return }
            try await Task.sleep(nanoseconds: 10_000_000)
        }
        throw CocoaError(.userCancelled)
    }

    private func messages(_ request: HTTPRequest) -> [JSON] { JSON(parsing: request.body ?? "")?["list"]?.list ?? [] }
}
