#if os(iOS) || SLUICE_STUBS
import Foundation
import UIKit

/// Opens the target of a tap.
@available(iOSApplicationExtension, unavailable)
@MainActor enum TargetOpener {
    /// - Parameter isOwn: true for a universal link of this app. `UIApplication.open` hands those to the browser, so
    ///   the app gets them here, as from the system when a link is tapped elsewhere.
    static func open(_ url: URL, isOwn: Bool) {
        if isOwn, isContinued(url) { return }
        UIApplication.shared.open(url)
    }

    private static func isContinued(_ url: URL) -> Bool {
        let activity = NSUserActivity(activityType: NSUserActivityTypeBrowsingWeb)
        activity.webpageURL = url
        let app = UIApplication.shared
        let scenes = app.connectedScenes
        let scene = scenes.first { $0.activationState == .foregroundActive } ?? scenes.first
        if let scene {
            let forward = scene.delegate?.scene(_:continue:)
            if let forward {
                forward(scene, activity)
                return true
            }
        }
        let forward = app.delegate?.application(_:continue:restorationHandler:)
        return forward?(app, activity, { _ in }) ?? false
    }
}
#endif
