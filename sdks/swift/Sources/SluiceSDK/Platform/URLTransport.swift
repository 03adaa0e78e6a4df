import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Requests by URLSession, without cookies, cache and redirects.
final class URLTransport: Transport {
    private static let timeout: TimeInterval = 30
    /// Nil once it is closed: a session that is invalidated throws at the next task.
    private let session: Guarded<URLSession?>

    private let deflate: Gzip.Deflate

    init(deflate: @escaping Gzip.Deflate = Gzip.platform) {
        self.deflate = deflate
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = URLTransport.timeout
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        session = Guarded(URLSession(configuration: configuration, delegate: NoRedirects(), delegateQueue: nil))
    }

    deinit { close() }

    func close() {
        session.with {
            $0?.finishTasksAndInvalidate()
            $0 = nil
        }
    }

    func send(_ request: HTTPRequest, _ done: @escaping @Sendable (HTTPAnswer?) -> Void) -> @Sendable () -> Void {
        guard let url = URL(string: request.url) else {
            done(nil)
            return {}
        }
        var made = URLRequest(url: url)
        made.httpMethod = request.method
        for (name, value) in request.headers { made.setValue(value, forHTTPHeaderField: name) }
        made.httpBody = request.body.map { Data($0.utf8) }
        if let body = made.httpBody, let smaller = Gzip.compressed(body, by: deflate) {
            made.httpBody = smaller
            made.setValue("gzip", forHTTPHeaderField: "Content-Encoding")
        }
        let answered: @Sendable (Data?, URLResponse?, (any Error)?) -> Void = { data, response, _ in
            guard let response = response as? HTTPURLResponse else { return done(nil) }
            let headers = response.allHeaderFields.compactMap { name, value -> (String, String)? in
                guard let name = name as? String, let value = value as? String else { return nil }
                return (name.lowercased(), value)
            }
            let body = String(decoding: data ?? Data(), as: UTF8.self)
            let known = Dictionary(headers, uniquingKeysWith: { first, _ in first })
            done(HTTPAnswer(status: response.statusCode, body: body, headers: known))
        }
        let task = session.with { $0?.dataTask(with: made, completionHandler: answered) }
        guard let task else {
            done(nil)
            return {}
        }
        task.resume()
        return { task.cancel() }
    }
}

/// Stops at redirects: their answer, which is not the service's, becomes the answer.
private final class NoRedirects: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
