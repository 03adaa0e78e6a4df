import Foundation

extension Sluice {
    /// Registers the device's push token, as the system hands it to the app.
    @discardableResult
    public func setDeviceToken(_ token: Data) -> Bool {
        setDeviceToken(token.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())
    }

    /// Registers a push token of a provider.
    @discardableResult
    public func setDeviceToken(_ token: String) -> Bool {
        parts?.recorder.register(token) ?? false
    }

    /// Reports an interaction: writes its event first, then makes the callback, so that an interaction without a network
    /// is reported later. The service makes one row of both. Without granted consent no callback is made.
    public func report(_ interaction: NotificationInteraction) {
        report(interaction, namesButton: false)
    }

    func report(_ interaction: NotificationInteraction, namesButton: Bool) {
        guard let parts, track(interaction.event, interaction.properties), parts.recorder.mayReport else { return }
        let url = parts.settings.apiHost + interaction.path(namesButton: namesButton)
        parts.ports.inBackground("sluice reports") { done in
            Callback(ports: parts.ports, url: url, mayReport: { [recorder = parts.recorder] in recorder.mayReport }, done: done).send()
        }
    }

    public enum Notification {
        /// Registers a new push token.
        @discardableResult
        public static func refreshToken(_ token: String, _ client: Sluice) -> Bool { client.setDeviceToken(token) }

        @discardableResult
        public static func refreshToken(_ token: Data, _ client: Sluice) -> Bool { client.setDeviceToken(token) }
    }
}

/// One callback. Ends when it is answered or has been tried three times.
private struct Callback: Sendable {
    private static let maxTries = 3

    let ports: Ports
    let url: String
    /// False once consent is denied or the client is closed.
    let mayReport: @Sendable () -> Bool
    let done: @Sendable () -> Void

    func send(tries: Int = 1) {
        _ = ports.transport.send(HTTPRequest(method: "GET", url: url)) { reply in
            switch Verdict(try? reply.get()).meaning {
            case .later, .unknown:
                guard tries < Callback.maxTries else { return done() }
                let wait = RetryPolicy.wait(failures: tries, retryAfter: 0, fraction: ports.random.fraction())
                // A denied or closed client makes no more requests about its person.
                _ = ports.clock.later(wait) { mayReport() ? send(tries: tries + 1) : done() }
            default: done()
            }
        }
    }
}
