package tech.sluice.net

import java.io.ByteArrayOutputStream
import java.io.InputStream
import java.net.HttpURLConnection
import java.net.MalformedURLException
import java.net.URL
import java.util.concurrent.Executor
import java.util.zip.GZIPOutputStream
import tech.sluice.InternalSluiceApi
import tech.sluice.core.Cancellation
import tech.sluice.core.HttpAnswer
import tech.sluice.core.HttpRequest
import tech.sluice.core.UnansweredException
import tech.sluice.core.Transport

private const val CONNECT_MS = 15_000
private const val READ_MS = 30_000

/** The service's answers are shorter; a longer one is not read to its end, and is not an answer. */
private const val MAX_ANSWER_BYTES = 1_048_576

/** A body up to this size is not worth packing. */
private const val MAX_PLAIN_BYTES = 1_024

/**
 * Sends requests with the platform's HTTP client, on the threads of [executor].
 *
 * The client must not repeat a request by itself: the service may have stored the first one, and the answer to the
 * second says nothing of it. Android's client does not repeat a streamed body. With streaming, a JVM's client loses the
 * body of a 401, so tests switch its repeats off by `sun.net.http.retryPost` instead.
 */
@InternalSluiceApi
public class HttpTransport(private val executor: Executor, private val isStreaming: Boolean) : Transport {
    override fun send(request: HttpRequest, done: (HttpAnswer?, Throwable?) -> Unit): Cancellation {
        val exchange = Exchange(request, isStreaming)
        executor.execute {
            var failure: Throwable? = null
            val answer =
                try {
                    exchange.answer()
                } catch (error: Throwable) {
                    // Not only IOException: a missing permission, a non-HTTP address or low memory throws others, as do
                    // broken connections on some Android releases.
                    null.also { failure = error }
                }
            done(answer, failure)
        }
        return exchange
    }
}

private class Exchange(private val request: HttpRequest, private val isStreaming: Boolean) : Cancellation {
    @Volatile
    private var connection: HttpURLConnection? = null

    @Volatile
    private var isCancelled = false

    override fun cancel() {
        isCancelled = true
        connection?.disconnect()
    }

    /** Throws without an answer: no network, no service, a bad address, a redirect, or an answer that is too long. */
    fun answer(): HttpAnswer {
        try {
            val connection = openWithoutCookies(URL(request.url)) as HttpURLConnection
            this.connection = connection
            // It may have waited for a thread: after a denial nothing is sent.
            if (isCancelled) throw UnansweredException("cancelled")
            return exchanged(connection)
        } finally {
            connection = null
        }
    }

    private fun exchanged(connection: HttpURLConnection): HttpAnswer {
        connection.requestMethod = request.method
        connection.connectTimeout = CONNECT_MS
        connection.readTimeout = READ_MS
        connection.instanceFollowRedirects = false
        connection.useCaches = false
        request.headers.forEach { (name, value) -> connection.setRequestProperty(name, value) }
        request.body?.toByteArray()?.let { text ->
            val isPacked = text.size > MAX_PLAIN_BYTES
            val body = if (isPacked) packed(text) else text
            if (isPacked) connection.setRequestProperty("Content-Encoding", "gzip")
            connection.doOutput = true
            if (isStreaming) connection.setFixedLengthStreamingMode(body.size)
            connection.outputStream.use { it.write(body) }
        }
        val status = connection.responseCode
        if (status < 200 || status in 300..399) {
            val target = connection.getHeaderField("Location")
            // Its body stays unread, so the connection cannot be used again.
            connection.disconnect()
            throw UnansweredException(if (target == null) "status $status" else "redirected to ${hostOf(target, request.url)}")
        }
        val stream = if (status < 400) connection.inputStream else connection.errorStream
        val body = textOf(stream) ?: throw UnansweredException("an answer of more than $MAX_ANSWER_BYTES bytes")
        // The headers are read now, because the connection may be used again.
        val headers = connection.headerFields.filterKeys { it != null }.mapKeys { (name) -> lowerCase(name) }
        return Answer(status, body) { name -> headers[name]?.lastOrNull() }
    }
}

/** Scheme and host of a redirect: `http` for `https` and a missing `www` are common mistakes. Its path can be private. */
private fun hostOf(target: String, asked: String): String =
    try {
        val address = URL(URL(asked), target)
        "${address.protocol}://${address.authority}"
    } catch (_: MalformedURLException) {
        "no address"
    }

private fun packed(text: ByteArray): ByteArray {
    val bytes = ByteArrayOutputStream(text.size / 4)
    GZIPOutputStream(bytes).use { it.write(text) }
    return bytes.toByteArray()
}

private class Answer(
    override val status: Int,
    override val body: String,
    private val headerOf: (String) -> String?,
) : HttpAnswer {
    override fun header(name: String): String? = headerOf(name)
}

private fun textOf(stream: InputStream?): String? {
    val bytes = ByteArrayOutputStream()
    val part = ByteArray(8_192)
    stream?.use {
        while (true) {
            val count = it.read(part)
            if (count < 0) break
            bytes.write(part, 0, count)
            if (bytes.size() > MAX_ANSWER_BYTES) return null
        }
    }
    return String(bytes.toByteArray(), Charsets.UTF_8)
}

/** Lower case of ASCII: `toLowerCase` of a Turkish device makes another letter of an I. */
private fun lowerCase(name: String): String =
    name.map { if (it in 'A'..'Z') it + 32 else it }.joinToString("")
