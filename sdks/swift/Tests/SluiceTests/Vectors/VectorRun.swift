import Foundation
@testable import SluiceSDK

/// Runs one vector (sdks/contract/README.md, "Running a vector").
final class VectorRun {
    private let vector: JSON
    private let world: VectorWorld
    private var requestsSeen = 0
    private var reportsSeen = 0
    private var logSeen = 0
    private let result = Guarded<FlushResult?>(nil)
    private var notification: PushNotification?

    init(_ given: JSON) {
        var fill = ["apiKey": "key-of-the-test", "sourceIdentifier": "Source000001"]
        for name in ["n1", "n2", "n3"] { fill["token:\(name)"] = "token-\(name)" }
        vector = given.expanded(fill)
        world = VectorWorld(vector, fill)
        world.start("a", configs)
    }

    private var configs: [JSON] { [vector["config"]].compactMap { $0 } }
    private var isWeb: Bool { vector["config"]?["platform"]?.text != "native" }

    func run() async throws {
        defer { world.end() }
        for (at, step) in (vector["steps"]?.list ?? []).enumerated() {
            do {
                try await run(step)
            } catch {
                throw Deviation("step \(at) \(step.canonical.prefix(300)): \(error)")
            }
        }
        let (requests, reports) = world.state.with { ($0.requests, $0.reports) }
        guard requests.count == requestsSeen else { throw Deviation("\(requests[requestsSeen...]) was not expected") }
        guard reports.count == reportsSeen else { throw Deviation("\(reports[reportsSeen...]) was not expected") }
    }

    private func run(_ step: JSON) async throws {
        let on = step["on"]?.text ?? "a"
        if let call = step["call"]?.text { for args in arguments(step) { try self.call(call, args, step, on) } }
        if let time = step["advance"] { await world.clock.advance(try duration(time)) { await world.settle() } }
        if let time = step["clock"]?.text.flatMap(VectorWorld.time) { world.clock.set(time) }
        if let answers = step["server"]?.list { world.state.with { $0.answers += answers } }
        if let fault = step["store"]?.text { try inject(fault, on) }
        if let more = step["start"] { world.start(on, configs + [more]) }
        if let event = step["lifecycle"]?.text { try lifecycle(event, on) }
        if let data = step["push"] { notification = PushNotification(data, maxActions: isWeb ? 2 : 3) }
        if let interact = step["interact"], let notification { try self.interact(interact, notification, on) }
        await world.settle()
        if let expected = step["expect"] { try await expect(expected, on) }
    }

    private func duration(_ time: JSON) throws -> Double {
        if let milliseconds = time.double { return milliseconds }
        let units = ["ms": 1.0, "s": 1_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000]
        let parts = (time.text ?? "").split(separator: " ").map(String.init)
        guard parts.count == 2, let amount = Double(parts[0]), let unit = units[parts[1]] else { throw Deviation("no time") }
        return amount * unit
    }

    /// The arguments of each call of a step. With `times`, each has its number at the end of the first one.
    private func arguments(_ step: JSON) -> [[JSON]] {
        let args = step["args"]?.list ?? []
        guard let times = step["times"]?.int else { return [args] }
        return (0..<times).map { [.string("\(args[0].text ?? "")\($0)")] + args.dropFirst() }
    }

    private func call(_ call: String, _ args: [JSON], _ step: JSON, _ on: String) throws {
        let client = try world.client(on)
        func object(_ at: Int) -> [String: Any]? {
            guard at < args.count, case .object = args[at] else { return nil }
            return args[at].dictionary
        }
        let options = args.count > 2 ? args[2] : .null
        let timestamp = options["timestamp"]?.text.map { Date(timeIntervalSince1970: (VectorWorld.time($0) ?? -1) / 1_000) }
        let context = options["context"]?.dictionary ?? [:]
        var returned: Bool?
        switch call {
        case "track":
            returned = client.track(args[0].text ?? "", object(1), timestamp: timestamp, context: context)
        case "identify":
            returned = client.identify(args[0].text, object(1), timestamp: timestamp, context: context)
        case "reset": client.reset()
        case "consent":
            client.consent(args[0].text == "granted" ? .granted : args[0].text == "denied" ? .denied : .pending)
        case "flush": flush(client, closes: false)
        case "close": flush(client, closes: true)
        default: throw Deviation("no call \(call)")
        }
        guard let expected = step["returns"]?.bool, expected != returned else { return }
        throw Deviation("\(call) returned \(String(describing: returned)): \(world.state.with { $0.reports })")
    }

    /// `flush` without waiting for it: vectors look at what is under way.
    private func flush(_ client: Sluice, closes: Bool) {
        guard let parts = client.parts else { return result.with { $0 = FlushResult(sent: 0, left: 0) } }
        let result = result
        parts.flush { flushed in
            result.with { $0 = flushed }
            if closes { parts.recorder.deactivate() }
        }
    }

    private func inject(_ fault: String, _ on: String) throws {
        switch fault {
        case "full", "works": world.state.with { $0.isFull = fault == "full" }
        case "lost": try FileManager.default.removeItem(at: world.folder)
        case "values-lost": try FileManager.default.removeItem(at: world.folder.appendingPathComponent("values/Source000001.json"))
        default:
            world.drop(on)
            world.start(on, configs)
        }
    }

    private var configuration: Configuration {
        Configuration(apiKey: "", sourceIdentifier: "", apiHost: "") { $0.folder = world.folder }
    }

    private func lifecycle(_ event: String, _ on: String) throws {
        let parts = try world.client(on).parts
        switch event {
        case "hide": parts?.hide()
        case "online": parts?.inbox.post { $0.online() }
        default: parts?.show()
        }
    }

    private func interact(_ interact: JSON, _ notification: PushNotification, _ on: String) throws {
        let kind = NotificationInteraction.Kind(rawValue: interact["interaction"]?.text ?? "")
        guard let kind else { throw Deviation("no interaction") }
        let interaction = NotificationInteraction(
            kind, notification, button: interact["button"]?.int, reason: interact["reason"]?.text)
        try world.client(on).report(interaction, namesButton: isWeb)
    }

    // MARK: Expectations

    private func expect(_ expected: JSON, _ on: String) async throws {
        if let requests = expected["requests"]?.list { try expectRequests(requests) }
        if let reports = expected["reports"]?.list { try expectReports(reports) }
        if let stored = expected["stored"] {
            try equal(.array(world.state.with { $0.stored.map(nameOf) }), stored, "stored")
        }
        if let queue = expected["queue"]?.list { try expectQueue(queue) }
        for (name, value) in expected["values"]?.members ?? [] {
            let values = DeviceFolder(configuration, room: {}).values("Source000001")
            let known = try ValuesFile.Name(rawValue: name).flatMap { try values.get($0) }
            try equal(known.map { .string($0) } ?? .null, value, "value \(name)")
        }
        let client = try world.client(on)
        for (name, value) in expected["identity"]?.members ?? [] {
            let id = name == "userId" ? client.userId : name == "deviceId" ? client.deviceId : client.anonymousId
            try equal(id.map { .string($0) } ?? .null, value, name)
        }
        if let expected = expected["result"] {
            let known = result.with { $0 }.map { JSON.object(["sent": .number(Double($0.sent)), "left": .number(Double($0.left))]) }
            try equal(known ?? .null, expected, "result")
        }
        if let shown = expected["notification"] { try equal(described(notification), shown, "notification") }
        if let paths = expected["leftOut"] {
            let lines = world.state.with { Array($0.log[logSeen...]) }
            logSeen += lines.count
            let named = lines.compactMap { line in line.range(of: " is left out").map { JSON.string(String(line[..<$0.lowerBound])) } }
            try equal(.array(named), paths, "left out")
        }
    }

    private func equal(_ value: JSON, _ expected: JSON, _ what: String) throws {
        guard value.canonical != expected.canonical else { return }
        throw Deviation("\(what): \(value.canonical.prefix(2_000)) instead of \(expected.canonical.prefix(2_000))")
    }

    private func nameOf(_ message: JSON) -> JSON {
        message["event"] ?? message["userId"] ?? message["anonymousId"] ?? .string("")
    }

    private func expectReports(_ expected: [JSON]) throws {
        let reports = world.state.with { Array($0.reports[reportsSeen...]) }
        reportsSeen += reports.count
        let plain = reports.map { report in
            var members: [String: JSON] = ["code": .string(report.code.rawValue)]
            members["count"] = report.count.map { .number(Double($0)) }
            members["requestId"] = report.requestId.map { .string($0) }
            return JSON.object(members)
        }
        try equal(.array(plain), .array(expected), "reports")
    }

    private func expectRequests(_ expected: [JSON]) throws {
        let all = world.state.with { $0.requests }
        let requests = Array(all[requestsSeen...])
        requestsSeen = all.count
        guard requests.count == expected.count else {
            let made = requests.map { "\($0.method) \($0.url) \($0.body?.prefix(300) ?? "")" }.joined(separator: "\n")
            throw Deviation("\(requests.count) requests instead of \(expected.count):\n\(made)")
        }
        for (at, request) in requests.enumerated() { try compare(request, expected[at], all, "request \(at)") }
    }

    private func compare(_ request: HTTPRequest, _ expected: JSON, _ all: [HTTPRequest], _ what: String) throws {
        guard let url = URLComponents(string: request.url) else { throw Deviation("no url \(request.url)") }
        let body = request.body.flatMap { JSON(parsing: $0) }
        let afterScheme = request.url.components(separatedBy: "://").last ?? ""
        let path = afterScheme.firstIndex(of: "/").map { String(afterScheme[$0...]) } ?? ""
        for (name, value) in expected.members where name != "gateway" {
            let known: JSON
            switch name {
            case "method": known = .string(request.method)
            case "host": known = .string(url.host ?? "")
            case "path": known = .string(path)
            case "headers": known = .object(request.headers.mapValues { .string($0) })
            case "body": known = body ?? .null
            case "key": known = .string(request.headers["Idempotency-Key"] ?? "")
            case "kind": known = .string(path.hasSuffix("/identifyBatch") ? "identify" : "track")
            case "messages": known = .array((body?["list"]?.list ?? []).map(nameOf))
            // Only browsers limit requests that outlive a page.
            case "keepalive": known = value
            case "bytes": known = .number(Double(request.body?.utf8.count ?? 0))
            case "repeats":
                let earlier = all[value.int ?? 0]
                let isRepeat = earlier.url == request.url && earlier.body.map { Array($0.utf8) } == request.body.map { Array($0.utf8) }
                    && earlier.headers["Idempotency-Key"] == request.headers["Idempotency-Key"]
                known = isRepeat ? value : .string("another request")
            default: throw Deviation("no member \(name)")
            }
            try equal(known, value, "\(what) \(name)")
        }
    }

    private func expectQueue(_ expected: [JSON]) throws {
        let queue = DeviceFolder(configuration, room: {}).queue
        let names = (try? FileManager.default.contentsOfDirectory(atPath: queue.path)) ?? []
        var batches: [(order: Double, key: String, json: JSON)] = []
        for name in names where name.hasSuffix(".batch") {
            let path = "\(queue.path)/\(name)"
            guard case .batch(let file) = BatchFormat.read(try OpenFile(path, O_RDONLY).readAll()) else { continue }
            batches.append((file.origin.created, file.origin.key, described(file)))
        }
        batches.sort { ($0.order, $0.key) < ($1.order, $1.key) }
        let known = batches.enumerated().map { at, batch in
            let asked = at < expected.count ? expected[at].members.map(\.name) : ["key"]
            return JSON.object(batch.json.members.filter { asked.contains($0.name) })
        }
        try equal(.array(known), .array(expected), "queue")
    }

    private func described(_ file: BatchFile) -> JSON {
        let tries = file.tries ?? Tries()
        return .object([
            "key": .string(file.origin.key), "host": .string(file.origin.host),
            "sourceIdentifier": .string(file.origin.sourceIdentifier), "kind": .string(file.origin.kind.rawValue),
            "created": .number(file.origin.created), "count": .number(Double(file.messages.count)),
            "bytes": .number(Double(Batch.size(file.messages))), "sealed": .bool(file.isSealed),
            "tries": .number(Double(tries.tries)), "doubts": .number(Double(tries.doubts)),
            "tooLarge": .number(Double(tries.tooLarge)), "firstTry": .number(tries.firstTry),
            "lastTry": .number(tries.lastTry), "nextTry": .number(tries.nextTry),
            "messages": .array(file.messages.map { nameOf(JSON(parsing: $0) ?? .null) }),
        ])
    }

    private func described(_ notification: PushNotification?) -> JSON {
        guard let notification else { return .null }
        var members: [String: JSON] = [
            "id": .string(notification.id), "title": .string(notification.title),
            "requireInteraction": .bool(notification.requireInteraction),
            "actions": .array(notification.actions.map { action in
                var members = ["title": JSON.string(action.title)]
                members["action"] = action.action.map { .string($0) }
                return .object(members)
            }),
        ]
        let texts = [
            "body": notification.body, "image": notification.image, "action": notification.action,
            "icon": notification.icon, "badge": notification.badge,
        ]
        for (name, text) in texts { members[name] = text.map { .string($0) } }
        return .object(members)
    }
}
