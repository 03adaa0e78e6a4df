package tech.sluice.testing

import java.io.File
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit
import tech.sluice.Client
import tech.sluice.ErrorHandler
import tech.sluice.core.BatchStore
import tech.sluice.core.Options
import tech.sluice.core.Ports
import tech.sluice.core.SdkName
import tech.sluice.core.Transport
import tech.sluice.core.Worker
import tech.sluice.core.parseJson
import tech.sluice.core.formatJson
import tech.sluice.file.FileBatchStore
import tech.sluice.file.FileValueStore
import tech.sluice.net.HttpTransport
import tech.sluice.net.SystemRandomness
import tech.sluice.net.SystemWorker

/** Address and folder of a client of a test. */
class TestSource(val apiHost: String, val apiKey: String, val sourceIdentifier: String, val folder: File)

/** A client on files of a JVM. [queue] and [transport] may wrap those of the SDK. */
fun testClient(
    source: TestSource,
    worker: Worker = SystemWorker(),
    isDraining: Boolean = false,
    queue: (BatchStore) -> BatchStore = { it },
    transport: (Transport) -> Transport = { it },
    errorHandler: ErrorHandler,
): Client {
    // The JVM reads this property when the first request is made.
    System.setProperty("sun.net.http.retryPost", "false")
    val threads = Executors.newCachedThreadPool { work -> Thread(work, "sluice-http").apply { isDaemon = true } }
    val ports =
        Ports(
            SdkName("@sluice/kotlin-test", "0.1.0"),
            worker,
            SystemRandomness,
            FileValueStore(File(source.folder, "values"), source.sourceIdentifier),
            queue(FileBatchStore(File(source.folder, "queue"), JvmFolderSync)),
            transport(HttpTransport(threads, isStreaming = false)),
        )
    val options =
        Options(
            source.apiKey,
            source.sourceIdentifier,
            source.apiHost,
            flushAt = if (isDraining) null else 5,
            errorHandler = errorHandler,
        )
    return Client(options, ports)
}

/**
 * A program that end-to-end tests start: makes the calls that standard input lists as JSON, one a line, then flushes and
 * prints what became of them. Arguments: host, key, source, folder.
 */
fun main(args: Array<String>) {
    val errors = ArrayList<String>()
    val client =
        testClient(TestSource(args[0], args[1], args[2], File(args[3])), isDraining = true) { error ->
            synchronized(errors) { errors += "${error.code} ${error.message}" }
        }
    val taken = generateSequence(::readLine).map { call(client, parseJson(it) as Map<*, *>) }.toList()
    val result = client.flush().get(60, TimeUnit.SECONDS)
    synchronized(errors) { println(formatJson(mapOf("taken" to taken, "sent" to result.sent, "left" to result.left, "errors" to errors))) }
}

private fun call(client: Client, call: Map<*, *>): Boolean {
    val properties = (call["properties"] as Map<*, *>?)?.entries?.associate { (name, value) -> name.toString() to value }
    val event = call["track"] as String?
    val token = call["token"] as String?
    return when {
        event != null -> client.track(event, properties)
        token != null -> client.setDeviceToken(token)
        else -> client.identify(call["identify"] as String?, properties)
    }
}
