import Foundation

/// The client. Keep one for the life of the app. No call throws; only `flush` and `close` wait for the network.
///
/// `track` and other writing calls need no `await`, on any thread. When they return, the message is in a file, or in
/// memory before the first unlock, while consent is pending or when storage fails.
public final class Sluice: Sendable {
    public static let version = "0.1.0"

    /// Nil in a client that is disabled.
    let parts: Parts?

    /// If a credential or the host is blank, the client does nothing and reports `disabled`.
    /// With a second client of a source in the same folder, both follow the stricter consent of the two; the second one
    /// reports `invalid` if its options differ.
    public convenience init(_ configuration: Configuration) {
        self.init(configuration, Ports())
        guard let parts else { return }
        let siblings = Siblings.join(parts)
        let consent = siblings.map(\.recorder.consentState).reduce(configuration.consent) { $0.stricter($1) }
        for member in siblings + [parts] { member.recorder.consent(consent) }
        if siblings.contains(where: { $0.settings != parts.settings }) {
            let why = "another client of this source lives with other options; use one client, or close the other first"
            configuration.errorHandler?(SluiceError(.invalid, why))
        }
    }

    init(_ configuration: Configuration, _ ports: Ports) {
        let settings = Settings(configuration)
        guard settings.isComplete else {
            parts = nil
            configuration.errorHandler?(SluiceError(.disabled, "credentials or host are blank"))
            return
        }
        parts = Parts(configuration, settings, ports)
    }

    deinit { parts?.end() }

    /// True if a credential or the host is blank; `errorHandler` says why.
    public var isDisabled: Bool { parts == nil }

    /// True while calls are taken: the client is neither disabled nor closed, and consent is not denied.
    public var isTaking: Bool { parts?.recorder.takes ?? false }

    /// Takes an event. Returns false if the client is disabled or closed, consent is denied, a plugin drops the event,
    /// or the event is refused, which `errorHandler` reports.
    @discardableResult
    public func track(
        _ event: String, _ properties: [String: Any]? = nil, timestamp: Date? = nil, context: [String: Any] = [:]
    ) -> Bool {
        let fields = Recorder.Fields(
            kind: .track, event: event, free: properties, context: context, timestamp: timestamp)
        return parts?.recorder.record(fields) ?? false
    }

    /// Assigns later events to this user. An id that breaks the rules ends the previous user.
    @discardableResult
    public func identify(
        _ userId: String?, _ traits: [String: Any]? = nil, timestamp: Date? = nil, context: [String: Any] = [:]
    ) -> Bool {
        let fields = Recorder.Fields(
            kind: .identify, free: traits, userId: userId, context: context, timestamp: timestamp)
        return parts?.recorder.record(fields) ?? false
    }

    /// Forgets the user and makes a new anonymousId. The device id stays.
    public func reset() { parts?.recorder.reset() }

    /// Changes consent, for all clients of the source and folder in this process.
    public func consent(_ state: Consent) {
        guard let parts else { return }
        for member in [parts] + Siblings.others(of: parts) { member.recorder.consent(state) }
    }

    /// Adds properties to every later event of this client. Those of a call replace them by name. Kept in memory.
    public func register(_ properties: [String: Any]) { parts?.recorder.register(properties) }

    public func unregister(_ name: String) { parts?.recorder.unregister(name) }

    public func use(_ plugin: @escaping Plugin) { parts?.recorder.use(plugin) }

    /// Shortens waits; call it when the app learns that the network is back.
    public func networkIsBack() { parts?.inbox.post { $0.online() } }

    public var anonymousId: String? { parts?.recorder.known { $0.anonymousId } }
    public var userId: String? { parts?.recorder.known { $0.userId } }
    /// Id of the device, which `reset` keeps.
    public var deviceId: String? { parts?.recorder.known { $0.device } }

    /// Sends what can be sent now.
    @discardableResult
    public func flush() async -> FlushResult {
        guard let parts else { return FlushResult(sent: 0, left: 0) }
        return await withCheckedContinuation { done in parts.flush { done.resume(returning: $0) } }
    }

    /// Sends everything that can be sent now, then accepts nothing more and releases the client's resources.
    @discardableResult
    public func close() async -> FlushResult {
        let result = await flush()
        parts?.end()
        return result
    }
}
