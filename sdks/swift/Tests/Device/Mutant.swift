import Foundation
#if DEBUG
@testable import SluiceSDK
#else
import SluiceSDK
#endif

/// Faults of an SDK that the kill test must notice. A device that has one loses or doubles messages.
enum Mutant: String {
    /// Sends every second message only, and deletes the batch.
    case dropsHalf = "drops-half"
    /// Sends each try under a new Idempotency-Key.
    case newKey = "new-key"
    /// Deletes a file of the queue when it starts.
    case forgetsFile = "forgets-file"
    /// Accepts messages before they are written.
    case writesLate = "writes-late"

    func client(_ configuration: Configuration) -> Sluice {
        if self == .forgetsFile { forgetFile(configuration) }
        #if DEBUG
        var ports = Ports()
        ports.transport = MutantTransport(mutant: self, real: URLTransport())
        return Sluice(configuration, ports)
        #else
        fatalError("Mutants need a debug build")
        #endif
    }

    private func forgetFile(_ configuration: Configuration) {
        guard let queue = configuration.folder?.appendingPathComponent("queue") else { return }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: queue.path)) ?? []
        guard let name = names.sorted().first(where: { $0.hasSuffix(".batch") }) else { return }
        try? FileManager.default.removeItem(at: queue.appendingPathComponent(name))
    }

    /// Called before each message.
    func beforeTrack(_ sluice: Sluice, _ n: Int) {
        guard self == .writesLate else { return }
        if n % 8 == 0 { sluice.consent(.pending) }
        if n % 8 == 7 { sluice.consent(.granted) }
    }
}

#if DEBUG
private struct MutantTransport: Transport {
    let mutant: Mutant
    let real: URLTransport

    func send(_ request: HTTPRequest, _ done: @escaping Reply) -> @Sendable () -> Void {
        var changed = request
        if mutant == .newKey { changed.headers["Idempotency-Key"] = UUID().uuidString }
        if mutant == .dropsHalf { changed.body = halved(request.body ?? "") }
        return real.send(changed, done)
    }

    private func halved(_ body: String) -> String {
        guard let json = try? JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: [Any]], let list = json["list"],
            let data = try? JSONSerialization.data(withJSONObject: ["list": list.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)])
        else { return body }
        return String(decoding: data, as: UTF8.self)
    }
}
#endif
