import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Loads the image of a notification into a file whose name ends in its type, as the system requires.
enum ImageDownload {
    /// Size up to which the system accepts an image.
    static let maxBytes: Int64 = 10 * 1_024 * 1_024
    private static let timeout: TimeInterval = 20

    /// Calls back with nil if there is no image. Returns a function that cancels the download.
    static func start(_ url: URL, _ done: @escaping @Sendable (URL?) -> Void) -> @Sendable () -> Void {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForResource = timeout
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        let session = URLSession(configuration: configuration)
        let task = session.downloadTask(with: url) { file, response, _ in
            done(file.flatMap { keepImage($0, response) })
        }
        task.resume()
        session.finishTasksAndInvalidate()
        return { task.cancel() }
    }

    private static func keepImage(_ file: URL, _ response: URLResponse?) -> URL? {
        guard let response = response as? HTTPURLResponse, response.statusCode == 200,
            let ending = ending(response.mimeType, response.url), let size = try? size(file), (1...maxBytes).contains(size)
        else { return nil }
        let imageFile = FileManager.default.temporaryDirectory.appendingPathComponent("sluice-\(UUID().uuidString).\(ending)")
        // The session removes its own file when this returns.
        return (try? FileManager.default.moveItem(at: file, to: imageFile)).map { imageFile }
    }

    private static func size(_ file: URL) throws -> Int64 {
        (try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? NSNumber)?.int64Value ?? 0
    }

    /// Type of an image by its Content-Type, or by its name if the Content-Type says nothing, as stores of files do.
    static func ending(_ type: String?, _ url: URL?) -> String? {
        switch type?.lowercased() {
        case "image/jpeg", "image/jpg": return "jpg"
        case "image/png": return "png"
        case "image/gif": return "gif"
        case nil, "", "application/octet-stream", "binary/octet-stream":
            switch url?.pathExtension.lowercased() {
            case "jpg", "jpeg": return "jpg"
            case "png": return "png"
            case "gif": return "gif"
            default: return nil
            }
        default: return nil
        }
    }
}
