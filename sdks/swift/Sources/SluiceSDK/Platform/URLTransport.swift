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

    func send(_ request: HTTPRequest, _ done: @escaping Reply) -> @Sendable () -> Void {
        guard let url = URL(string: request.url) else {
            done(.failure(NoAnswer("a bad address")))
            return {}
        }
        var urlRequest = URLRequest(url: url)
        urlRequest.httpMethod = request.method
        for (name, value) in request.headers { urlRequest.setValue(value, forHTTPHeaderField: name) }
        urlRequest.httpBody = request.body.map { Data($0.utf8) }
        if let body = urlRequest.httpBody, let smaller = Gzip.compressed(body, by: deflate) {
            urlRequest.httpBody = smaller
            urlRequest.setValue("gzip", forHTTPHeaderField: "Content-Encoding")
        }
        let answered: @Sendable (Data?, URLResponse?, (any Error)?) -> Void = { data, response, error in
            guard let response = response as? HTTPURLResponse, error == nil else {
                return done(.failure(error ?? NoAnswer("no HTTP")))
            }
            if 300..<400 ~= response.statusCode { return done(.failure(NoAnswer(URLTransport.target(of: response)))) }
            let headers = response.allHeaderFields.compactMap { name, value -> (String, String)? in
                guard let name = name as? String, let value = value as? String else { return nil }
                return (name.lowercased(), value)
            }
            let body = String(decoding: data ?? Data(), as: UTF8.self)
            let headersByName = Dictionary(headers, uniquingKeysWith: { first, _ in first })
            done(.success(HTTPAnswer(status: response.statusCode, body: body, headers: headersByName)))
        }
        let task = session.with { $0?.dataTask(with: urlRequest, completionHandler: answered) }
        guard let task else {
            done(.failure(NoAnswer("the client is closed")))
            return {}
        }
        task.resume()
        return { task.cancel() }
    }

    /// Scheme and host of a redirect: `http` for `https` and a missing `www` are common mistakes. Its path can be private.
    private static func target(of redirect: HTTPURLResponse) -> String {
        let location = redirect.allHeaderFields.first { ($0.key as? String)?.lowercased() == "location" }?.value as? String
        let target = location.flatMap { URL(string: $0, relativeTo: redirect.url) }?.absoluteURL
        guard let target, let scheme = target.scheme, let host = target.host else { return "status \(redirect.statusCode)" }
        return "redirected to \(scheme)://\(host)\(target.port.map { ":\($0)" } ?? "")"
    }
}

/// Stops at redirects, whose target may be anybody's.
private final class NoRedirects: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
