import Foundation

/// The client. Keep one for the life of the app. No call throws; only `flush` and `close` wait for the network.
///
/// `track` and the other calls that only write need no `await`: when they return, the message is in a file. They may be
/// called on any thread, the main thread included.
public actor Sluice {
    public static let version = "0.1.0"

    /// Nil in a client that is disabled.
    nonisolated let parts: Parts?

    /// If a credential or the host is blank, the client does nothing and reports `disabled`.
    public init(_ configuration: Configuration) {
        self.init(configuration, Ports())
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

    /// Takes an event. Returns false if it was not taken, and `errorHandler` was told why.
    @discardableResult
    public nonisolated func track(
        _ event: String, _ properties: [String: Any]? = nil, timestamp: Date? = nil, context: [String: Any] = [:]
    ) -> Bool {
        let fields = Recorder.Fields(
            kind: .track, event: event, free: properties, context: context, timestamp: timestamp)
        return parts?.recorder.record(fields) ?? false
    }

    /// From now on events are this user's. An id that breaks the rules ends the previous user.
    @discardableResult
    public nonisolated func identify(
        _ userId: String?, _ traits: [String: Any]? = nil, timestamp: Date? = nil, context: [String: Any] = [:]
    ) -> Bool {
        let fields = Recorder.Fields(
            kind: .identify, free: traits, userId: userId, context: context, timestamp: timestamp)
        return parts?.recorder.record(fields) ?? false
    }

    /// Forgets the user and makes a new anonymousId. The device id stays.
    public nonisolated func reset() { parts?.recorder.reset() }

    public nonisolated func consent(_ state: Consent) { parts?.recorder.consent(state) }

    public nonisolated func use(_ plugin: @escaping Plugin) { parts?.recorder.use(plugin) }

    /// Shortens waits; call it when the app learns that the network is back.
    public nonisolated func networkIsBack() { parts?.inbox.post { $0.online() } }

    public nonisolated var anonymousId: String? { parts?.recorder.known { $0.anonymousId } }
    public nonisolated var userId: String? { parts?.recorder.known { $0.userId } }
    /// Id of the device, which `reset` keeps.
    public nonisolated var deviceId: String? { parts?.recorder.known { $0.device } }

    /// Sends what can be sent now.
    @discardableResult
    public func flush() async -> FlushResult {
        guard let parts else { return FlushResult(sent: 0, left: 0) }
        return await withCheckedContinuation { done in parts.flush { done.resume(returning: $0) } }
    }

    /// Sends everything that can be sent now, then accepts nothing more.
    @discardableResult
    public func close() async -> FlushResult {
        let result = await flush()
        parts?.recorder.deactivate()
        return result
    }
}
