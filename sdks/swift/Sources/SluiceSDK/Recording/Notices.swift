/// Reports to make once the recorder's lock is released, so that a handler can call the client.
final class Notices {
    private let reporter: Reporter
    private var waiting: [() -> Void] = []

    init(_ reporter: Reporter) { self.reporter = reporter }

    func report(_ error: SluiceError) { waiting.append { [reporter] in reporter.report(error) } }
    func storageFailed(_ cause: any Error) { waiting.append { [reporter] in reporter.storageFailed(cause) } }
    func storageWorks() { waiting.append { [reporter] in reporter.storageWorks() } }

    /// The reports, which the caller makes.
    func take() -> [() -> Void] {
        defer { waiting = [] }
        return waiting
    }
}
