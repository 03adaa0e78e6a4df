import Foundation

/// Folder of the SDK on a device: `queue/` has the batches of all sources, `values/` the values of each source.
struct DeviceFolder: Sendable {
    let path: String
    let room: @Sendable () throws -> Void

    /// The folder of the configuration, else one in the app group or in the app's support files.
    init(_ configuration: Configuration, room: @escaping @Sendable () throws -> Void) {
        self.room = room
        path = (configuration.folder ?? DeviceFolder.standard(configuration.appGroup)).path
    }

    var queue: QueueFolder { QueueFolder(path: "\(path)/queue", room: room) }

    func values(_ sourceIdentifier: String) -> ValuesFile {
        ValuesFile(path: "\(path)/values/\(PercentEncoding.encode(sourceIdentifier)).json", room: room)
    }

    /// Makes the folders.
    func make() throws {
        try DeviceFolder.make("\(path)/queue")
        try DeviceFolder.make("\(path)/values")
        #if canImport(Darwin)
        // A restored queue would be that of another device.
        var folder = URL(fileURLWithPath: path, isDirectory: true)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        try? folder.setResourceValues(values)
        #endif
    }

    /// Makes a folder whose files can be read once the device was unlocked after its start, even if it is locked again.
    static func make(_ path: String) throws {
        try FileManager.default.createDirectory(
            at: URL(fileURLWithPath: path, isDirectory: true), withIntermediateDirectories: true, attributes: attributes)
    }

    private static var attributes: [FileAttributeKey: Any]? {
        #if os(iOS)
        return [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication]
        #else
        return nil
        #endif
    }

    private static func standard(_ appGroup: String?) -> URL {
        let files = FileManager.default
        var base = files.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
        #if canImport(Darwin)
        if let appGroup { base = files.containerURL(forSecurityApplicationGroupIdentifier: appGroup) ?? base }
        #endif
        return (base ?? files.temporaryDirectory).appendingPathComponent("sluice", isDirectory: true)
    }
}
