#if os(iOS)
import UIKit
import XCTest
@testable import SluiceSDK

/// Checks what only Apple's own frameworks can show. Runs in the simulator (.github/workflows/ios.yml).
final class AppleTests: XCTestCase {
    @MainActor func testNamesAreThoseOfUIKit() {
        XCTAssertTrue(AppLifecycle.hides.contains(UIApplication.didEnterBackgroundNotification.rawValue))
        XCTAssertTrue(AppLifecycle.hides.contains(UIApplication.willTerminateNotification.rawValue))
        XCTAssertTrue(AppLifecycle.hides.contains(Notification.Name.NSExtensionHostDidEnterBackground.rawValue))
        XCTAssertTrue(AppLifecycle.shows.contains(UIApplication.willEnterForegroundNotification.rawValue))
        XCTAssertTrue(AppLifecycle.shows.contains(Notification.Name.NSExtensionHostWillEnterForeground.rawValue))
        XCTAssertTrue(AppLifecycle.shows.contains(UIApplication.protectedDataDidBecomeAvailableNotification.rawValue))
    }

    func testFilesAreReadableWhileTheDeviceIsLocked() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        let device = DeviceFolder(Configuration(apiKey: "", sourceIdentifier: "", apiHost: "") { $0.folder = folder }, room: {})
        try device.make()
        let attributes = try FileManager.default.attributesOfItem(atPath: device.queue.path)
        #if !targetEnvironment(simulator)
        XCTAssertEqual(attributes[.protectionKey] as? FileProtectionType, .completeUntilFirstUserAuthentication)
        #else
        XCTAssertNotNil(attributes[.type])
        #endif
        XCTAssertEqual(try folder.resourceValues(forKeys: [.isExcludedFromBackupKey]).isExcludedFromBackup, true)
    }
}
#endif
