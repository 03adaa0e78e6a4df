import XCTest

/// The App Store requires reasons for some functions of the system: a manifest names those that its product uses.
final class PrivacyTests: XCTestCase {
    private let asked = [
        "FileTimestamp": ["stat(", "modificationDate", "creationDate", "contentModificationDate"],
        "SystemBootTime": ["systemUptime", "mach_absolute_time", "clock_gettime"],
        "DiskSpace": ["volumeAvailableCapacity", "systemFreeSize", "statfs(", "statvfs("],
        "UserDefaults": ["UserDefaults"],
        "ActiveKeyboards": ["activeInputModes"],
    ]

    func testEachProductNamesWhatItUses() throws {
        for (product, types) in [("SluiceSDK", ["ProductInteraction", "UserID", "DeviceID"]), ("SluiceNotifications", [])] {
            let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../Sources/\(product)").standardizedFileURL
            let code = try code(in: folder)
            let used = asked.filter { $0.value.contains { code.contains($0) } }.map { "NSPrivacyAccessedAPICategory\($0.key)" }
            let bytes = try Data(contentsOf: folder.appendingPathComponent("PrivacyInfo.xcprivacy"))
            let manifest = try XCTUnwrap(PropertyListSerialization.propertyList(from: bytes, options: [], format: nil) as? [String: Any])
            let reasons = try XCTUnwrap(manifest["NSPrivacyAccessedAPITypes"] as? [[String: Any]])
            XCTAssertEqual(Set(reasons.compactMap { $0["NSPrivacyAccessedAPIType"] as? String }), Set(used), product)
            XCTAssertTrue(reasons.allSatisfy { ($0["NSPrivacyAccessedAPITypeReasons"] as? [String])?.isEmpty == false })
            let collected = try XCTUnwrap(manifest["NSPrivacyCollectedDataTypes"] as? [[String: Any]])
            let names = collected.compactMap { $0["NSPrivacyCollectedDataType"] as? String }
            XCTAssertEqual(names, types.map { "NSPrivacyCollectedDataType\($0)" })
            XCTAssertEqual(manifest["NSPrivacyTracking"] as? Bool, false)
        }
    }

    /// The sources of a product without comments.
    private func code(in folder: URL) throws -> String {
        let files = try XCTUnwrap(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var lines: [Substring] = []
        for case let file as URL in files where file.pathExtension == "swift" {
            lines += try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        }
        return lines.filter { !$0.drop(while: { $0 == " " }).hasPrefix("//") }.joined(separator: "\n")
    }
}
