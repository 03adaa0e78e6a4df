package tech.sluice

import com.sun.net.httpserver.HttpExchange
import com.sun.net.httpserver.HttpServer
import java.net.InetSocketAddress
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.Executors
import java.util.zip.GZIPInputStream
import tech.sluice.core.parseJson

/** A request that arrived at the service. */
class Arrived(val method: String, val uri: String, val key: String?, val authorization: String?, val body: String) {
    val messages: List<Map<*, *>>
        get() = if (body.isEmpty()) emptyList() else ((parseJson(body) as Map<*, *>)["list"] as List<*>).map { it as Map<*, *> }
}

/** A service on this machine that accepts everything. */
class TestService : AutoCloseable {
    val arrived = CopyOnWriteArrayList<Arrived>()

    /** Every answer is a 503 while it is false. */
    @Volatile
    var isUp = true

    /** Called with each request before it is answered. */
    @Volatile
    var onRequest: (Arrived) -> Unit = {}

    /** Called before a file is sent. */
    @Volatile
    var onFile: () -> Unit = {}

    /** Files by their path. */
    val files = HashMap<String, ByteArray>()

    private val server =
        HttpServer.create(InetSocketAddress("127.0.0.1", 0), 0).apply {
            executor = Executors.newCachedThreadPool()
            createContext("/") { exchange ->
                val file = files[exchange.requestURI.path]
                val headers = exchange.requestHeaders
                val request =
                    Arrived(
                        exchange.requestMethod, exchange.requestURI.toString(), headers.getFirst("Idempotency-Key"),
                        headers.getFirst("Authorization"), bodyOf(exchange),
                    )
                if (file == null) arrived += request.also(onRequest) else onFile()
                val body = file ?: (if (isUp) """{"status":"QUEUED"}""" else """[{"field":"","message":"down"}]""").toByteArray()
                exchange.sendResponseHeaders(if (isUp) 200 else 503, body.size.toLong())
                exchange.responseBody.use { it.write(body) }
            }
            start()
        }

    private fun bodyOf(exchange: HttpExchange): String {
        val isPacked = exchange.requestHeaders.getFirst("Content-Encoding") == "gzip"
        return (if (isPacked) GZIPInputStream(exchange.requestBody) else exchange.requestBody).reader().readText()
    }

    val url = "http://127.0.0.1:${server.address.port}"

    val events: List<String> get() = arrived.flatMap { it.messages }.mapNotNull { it["event"] as String? }
    val callbacks: List<String> get() = arrived.filter { it.method == "GET" }.map { it.uri.removePrefix("/api/tracker/general/") }

    fun eventsNamed(name: String): List<Map<*, *>> = arrived.flatMap { it.messages }.filter { it["event"] == name }

    override fun close() {
        server.stop(0)
    }
}
