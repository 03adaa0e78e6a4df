import Foundation
import SluiceSDK
#if canImport(Glibc)
import Glibc
#endif

// A device in a process of its own: a test kills it, or points it at a real gateway.
//   sluice-device COMMAND FOLDER HOST SOURCE KEY [ARGUMENT] [MUTANT]

/// Writes a line without a buffer, so that a killed process has written all that it printed.
func say(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 5 else { fatalError("COMMAND FOLDER HOST SOURCE KEY [ARGUMENT]") }
let argument = arguments.count > 5 ? arguments[5] : ""
let mutant = arguments.count > 6 ? Mutant(rawValue: arguments[6]) : nil

func client(_ change: (inout Configuration) -> Void = { _ in }) -> Sluice {
    let configuration = Configuration(apiKey: arguments[4], sourceIdentifier: arguments[3], apiHost: arguments[2]) {
        $0.folder = URL(fileURLWithPath: arguments[1])
        $0.errorHandler = { say("report \($0.code.rawValue) \($0.count ?? 0) \($0.message)") }
        change(&$0)
    }
    return mutant?.client(configuration) ?? Sluice(configuration)
}

/// Sends until nothing is left, or for two minutes. Returns the number of messages that are left.
@discardableResult
func drain(_ client: Sluice) async -> Int {
    var result = await client.flush()
    for _ in 0..<240 where result.left > 0 {
        try? await Task.sleep(nanoseconds: 500_000_000)
        result = await client.flush()
    }
    say("left \(result.left)")
    return result.left
}

switch arguments[0] {
case "live":
    // Tracks until it is killed.
    let sluice = client {
        $0.flushAt = 5
        $0.flushInterval = 0.02
    }
    say("lives")
    for n in 0... {
        mutant?.beforeTrack(sluice, n)
        if sluice.track("e", ["life": argument, "n": n]) { say("took \(argument) \(n)") }
        if n % 3 == 2 { usleep(UInt32.random(in: 0..<3_000)) }
    }
case "drain":
    if await drain(client()) > 0 { exit(1) }
case "first":
    // The first row of an app: an event, a user, a registration.
    let sluice = client()
    sluice.track("order_completed", ["total": 49.9, "items": 3])
    sluice.identify("u-swift", ["plan": "pro"])
    sluice.setDeviceToken(Data([0xAB, 0x01]))
    await drain(sluice)
    say("device \(sluice.deviceId ?? "")")
case "push":
    // The argument is the data of a push message.
    let sluice = client()
    let data = try JSONSerialization.jsonObject(with: Data(argument.utf8)) as? [String: Any] ?? [:]
    guard let push = PushNotification(data) else { fatalError("not of the service") }
    sluice.report(NotificationInteraction(.delivered, push))
    sluice.report(NotificationInteraction(.clicked, push, button: 2))
    sluice.report(NotificationInteraction(.closed, push))
    sluice.report(NotificationInteraction(.failed, push, reason: "UNErrorDomain 1"))
    await drain(sluice)
    say("custom \(push.customData["coupon"] ?? "")")
case "fill":
    // Leaves a queue of every shape: closed batches, an open one, texts of several scripts.
    let sluice = client {
        $0.isSender = false
        $0.flushAt = 3
        $0.flushInterval = 3_600
    }
    sluice.identify("u-1", ["city": "تهران"])
    for n in 0..<8 { sluice.track("e\(n)", ["n": n, "text": "ü😀\u{1}"]) }
    try? await Task.sleep(nanoseconds: 500_000_000)
    say("anonymousId \(sluice.anonymousId ?? "")")
case "cost":
    // Microseconds of a call on this thread while nothing can be sent, with more and more events queued.
    let sluice = client { $0.maxMessages = 20_000 }
    let text = String(repeating: "x", count: 800)
    for queued in [0, 1_000, 9_000] {
        while sluice.userId != "u-\(queued)" { sluice.identify("u-\(queued)") }
        var costs: [Double] = []
        for n in 0..<1_000 {
            let start = DispatchTime.now().uptimeNanoseconds
            sluice.track("e", ["text": text, "n": n])
            costs.append(Double(DispatchTime.now().uptimeNanoseconds - start) / 1_000)
            usleep(200)
        }
        costs.sort()
        say("after \(queued): median \(Int(costs[500])) µs, p99 \(Int(costs[990])) µs, max \(Int(costs[999])) µs")
        for n in 0..<(queued == 0 ? 0 : 7_000) { sluice.track("fill", ["n": n]) }
    }
default:
    fatalError("no command \(arguments[0])")
}
