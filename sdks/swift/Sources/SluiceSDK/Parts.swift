/// The parts of a client that is not disabled.
final class Parts: Sendable {
    let settings: Settings
    /// Folder and source; clients that share them are siblings.
    let place: String
    let ports: Ports
    let inbox = Inbox()
    let recorder: Recorder
    let outbox: Outbox
    private let lifecycle: AppLifecycle

    init(_ configuration: Configuration, _ settings: Settings, _ ports: Ports) {
        self.settings = settings
        self.ports = ports
        let folder = DeviceFolder(configuration, room: ports.room)
        place = "\(folder.path) \(settings.sourceIdentifier)"
        let identity = Guarded(Identity(folder.values(settings.sourceIdentifier), ports.random))
        let reporter = Reporter(handler: configuration.errorHandler, debug: configuration.debug ? ports.log : nil) { count in
            identity.with { $0.giveUp(count) }
        }
        recorder = Recorder(
            configuration: configuration, settings: settings, ports: ports, identity: identity, reporter: reporter,
            inbox: inbox)
        let outbox = Outbox(
            settings: settings, ports: ports, queue: folder.queue, reporter: reporter, recorder: recorder, inbox: inbox)
        self.outbox = outbox
        lifecycle = AppLifecycle()
        Task { await outbox.run() }
        recorder.start()
        lifecycle.observe(self)
    }

    func flush(_ done: @escaping @Sendable (FlushResult) -> Void) {
        let before = Guarded(0)
        inbox.post { outbox in
            before.with { $0 = outbox.sending.sent }
            outbox.hold(1)
        }
        recorder.closeAll()
        let isPosted = inbox.post { [recorder] outbox in
            outbox.drain { outbox in
                outbox.hold(-1)
                let sent = outbox.sending.sent - before.with { $0 }
                done(FlushResult(sent: sent, left: outbox.left + recorder.waitingCalls))
            }
        }
        if !isPosted { done(FlushResult(sent: 0, left: 0)) }
    }

    /// Closes open batches and sends what can be sent, because the app may be suspended.
    func hide(_ whenDone: (@Sendable () -> Void)? = nil) {
        inbox.post { $0.hold(1) }
        recorder.closeAll()
        inbox.post { outbox in
            outbox.hold(-1)
            outbox.drain { _ in whenDone?() }
        }
    }

    /// Reads the store again: the app is in the foreground, the device was unlocked, or others changed the store.
    func show() {
        recorder.probe()
        inbox.post { $0.resume() }
    }

    /// Ends all work and releases observers, timers and connections; files stay.
    func end() {
        Siblings.leave(self)
        lifecycle.stop()
        recorder.deactivate()
        inbox.finish()
        ports.transport.close()
    }
}
