package tech.sluice.net

import java.io.Closeable
import java.io.InputStream
import java.net.InetAddress
import java.net.ServerSocket
import java.net.Socket
import java.util.concurrent.ConcurrentLinkedQueue
import kotlin.concurrent.thread

/** Reaction to a request: [answer] is written as it is, if there is one; then the connection may be closed. */
class Step(val answer: String?, val isClosing: Boolean = false, val isBodyRead: Boolean = true)

/** A server that answers with the bytes of a test, one step for each request. Requests beyond the steps get a 200. */
class RawServer(vararg steps: Step) : Closeable {
    private val steps = ConcurrentLinkedQueue(steps.toList())
    private val socket = ServerSocket(0, 50, InetAddress.getLoopbackAddress())

    /** Idempotency-Keys of the requests whose head arrived. */
    val arrived = ConcurrentLinkedQueue<String>()

    /** Cookie header of each of them. */
    val cookies = ConcurrentLinkedQueue<String>()

    /** Content-Encoding and body of each request whose body was read before the answer. */
    val encodings = ConcurrentLinkedQueue<String>()
    val bodies = ConcurrentLinkedQueue<ByteArray>()
    val url: String get() = "http://127.0.0.1:${socket.localPort}"

    init {
        thread(isDaemon = true) {
            while (!socket.isClosed) {
                val connection = runCatching { socket.accept() }.getOrNull() ?: break
                thread(isDaemon = true) { runCatching { connection.use(::serve) } }
            }
        }
    }

    private fun serve(connection: Socket) {
        while (true) {
            val head = headFrom(connection.getInputStream()) ?: return
            val step = steps.poll() ?: Step(answerOf(200))
            arrived += valueIn(head, "Idempotency-Key")
            cookies += valueIn(head, "Cookie")
            val length = valueIn(head, "Content-Length").ifEmpty { "0" }.toInt()
            if (step.isBodyRead) {
                encodings += valueIn(head, "Content-Encoding")
                bodies += connection.getInputStream().readNBytes(length)
            }
            step.answer?.let { connection.getOutputStream().write(it.toByteArray()) }
            if (!step.isBodyRead) connection.getInputStream().readNBytes(length)
            if (step.answer == null || step.isClosing) return
        }
    }

    /** Null when the client has closed the connection. */
    private fun headFrom(stream: InputStream): String? {
        val head = StringBuilder()
        while (!head.endsWith("\r\n\r\n")) head.append(stream.read().also { if (it < 0) return null }.toChar())
        return head.toString()
    }

    private fun valueIn(head: String, name: String): String =
        head.lines().firstOrNull { it.startsWith("$name: ", ignoreCase = true) }?.substringAfter(": ").orEmpty()

    override fun close() {
        socket.close()
    }

    private companion object {
        init {
            // The JVM reads this property when the first request is made.
            System.setProperty("sun.net.http.retryPost", "false")
        }
    }
}

const val REFUSAL = """[{"field":"","message":"error.of.the.test"}]"""

fun answerOf(status: Int, vararg headers: String): String {
    val body = if (status == 200) """{"status":"QUEUED"}""" else REFUSAL
    val all = listOf("HTTP/1.1 $status Said", "Content-Type: application/json", "Content-Length: ${body.length}") + headers
    return all.joinToString("\r\n") + "\r\n\r\n" + body
}
