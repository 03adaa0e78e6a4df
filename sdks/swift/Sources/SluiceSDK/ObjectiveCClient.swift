import Foundation

/// The client for Objective-C, which cannot use Swift's structs.
#if canImport(ObjectiveC)
@objc(SLUClient) @objcMembers
#endif
public final class ObjectiveCClient: NSObject, Sendable {
    /// The Swift client, for parts such as `NotificationDelegate`.
    public let client: Sluice

    /// - Parameter errorHandler: receives code, message and number of lost messages.
    public init(
        apiKey: String, sourceIdentifier: String, apiHost: String,
        errorHandler: (@Sendable (String, String, Int) -> Void)?
    ) {
        client = Sluice(
            Configuration(apiKey: apiKey, sourceIdentifier: sourceIdentifier, apiHost: apiHost) {
                $0.errorHandler = { error in errorHandler?(error.code.rawValue, error.message, error.count ?? 0) }
            })
    }

    public init(_ client: Sluice) { self.client = client }

    @discardableResult
    public func track(_ event: String, properties: [String: Any]?) -> Bool { client.track(event, properties) }

    @discardableResult
    public func identify(_ userId: String?, traits: [String: Any]?) -> Bool { client.identify(userId, traits) }

    public func reset() { client.reset() }

    @discardableResult
    public func setDeviceToken(_ token: Data) -> Bool { client.setDeviceToken(token) }

    @discardableResult
    public func refreshToken(_ token: String) -> Bool { Sluice.Notification.refreshToken(token, client) }

    /// Calls back with the numbers of messages that were sent and that are left.
    public func flush(completion: @escaping @Sendable (Int, Int) -> Void) {
        let client = client
        Task {
            let result = await client.flush()
            completion(result.sent, result.left)
        }
    }

    public var anonymousId: String? { client.anonymousId }
    public var userId: String? { client.userId }
    public var deviceId: String? { client.deviceId }
}
