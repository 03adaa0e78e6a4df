/// The file of an open batch, for its owner. Not safe for several threads.
final class BatchWriter {
    private let file: OpenFile
    private let room: @Sendable () throws -> Void
    private var end: Int
    /// True if a failed write could not be cut off: nothing more is appended.
    private var isBroken = false

    init(_ file: OpenFile, end: Int, room: @escaping @Sendable () throws -> Void) {
        self.file = file
        self.end = end
        self.room = room
    }

    /// Appends a message. Returns false if another client has sealed or removed the file, or if it is broken.
    /// - Throws: `FileFailure`, also if another process holds the file for longer than a thread of the app may wait.
    func append(_ text: String) throws -> Bool {
        try room()
        return try file.locked(within: OpenFile.LockWait.caller) {
            guard !isBroken, try file.size() == end else { return false }
            let frame = BatchFormat.frame(.message, text)
            do {
                try file.append(frame, after: end)
            } catch {
                isBroken = (try? file.size()) != end
                throw error
            }
            end += frame.count
            return true
        }
    }
}
