package tech.sluice.core

import java.io.File
import java.io.IOException
import java.util.Random
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder
import tech.sluice.Client
import tech.sluice.Consent
import tech.sluice.file.FileBatchStore
import tech.sluice.file.FileValueStore
import tech.sluice.testing.JvmFolderSync
import tech.sluice.vectors.FakeTime
import tech.sluice.vectors.ModelServer
import tech.sluice.vectors.messagesOf
import tech.sluice.vectors.nameOf

private const val LIVES = 25
private const val STEPS = 60
private const val HOUR = 3_600_000L
private val SOURCES = listOf("Source000001", "Source000002")
private val HOSTS = listOf("https://sluice.test", "https://other.test")

/** Random lives of an app with clients of two sources: consents and hosts change, processes are killed, answers are lost. */
class TwoSourcesTest {
    @get:Rule
    val temporary = TemporaryFolder()

    @Test
    fun `the books of each source agree, and nothing is stored twice`() {
        for (seed in 1..LIVES) {
            val life = AppLife(seed.toLong(), temporary.newFolder())
            life.run()
            val stored = life.servers.values.flatMap { it.stored }
            assertEquals("seed $seed", stored.toSet().size, stored.size)
            assertEquals("seed $seed", emptyList<String>(), life.left())
            for ((source, books) in life.books) {
                // A denial also reports what is only in memory, and what a service has stored without an answer.
                val lost = books.filed.count { it !in stored }
                val unsure = books.taken.count { (it !in stored && it !in books.filed) || (it in stored && it in books.erased) }
                assertTrue("seed $seed $source: ${books.reported} reported, $lost lost, $unsure unsure", books.reported in lost..lost + unsure)
            }
        }
    }
}

/** The messages of a source. */
private class Books {
    val taken = HashSet<String>()

    /** Messages that were in a file. */
    val filed = HashSet<String>()
    val confirmed = HashSet<String>()

    /** Messages that waited when consent was denied. */
    val erased = HashSet<String>()
    var reported = 0
}

private class AppLife(seed: Long, private val folder: File) {
    private class Running(val client: Client, val source: String, val end: () -> Unit)

    val books = SOURCES.associateWith { Books() }
    val servers = HOSTS.associateWith { ModelServer() }
    private val random = Random(seed)
    private val time = FakeTime(1_769_860_800_000)

    /** The same for the same seed. */
    private val ids =
        object : Randomness {
            override fun fraction(): Double = random.nextDouble()

            override fun uuid(purpose: IdPurpose): String = "${purpose.text}-${random.nextLong().toULong()}"
        }
    private val running = ArrayList<Running>()
    private var messages = 0
    private var isCalm = false

    fun run() {
        repeat(STEPS) { step() }
        isCalm = true
        while (running.isNotEmpty()) kill()
        SOURCES.forEach { start(it, HOSTS.first()) }
        repeat(8) { time.advance(HOUR) }
    }

    fun left(): List<String> = File(folder, "queue").list().orEmpty().filter { it.endsWith(".batch") }

    private fun step() {
        if (running.isEmpty()) start(SOURCES.random(), HOSTS.random())
        val one = running.random()
        when (random.nextInt(100)) {
            in 0..54 -> repeat(random.nextInt(8)) { track(one) }
            in 55..62 -> one.client.handle(LifecycleEvent.values().toList().random())
            in 63..66 -> one.client.flush()
            in 67..73 -> kill()
            in 74..80 -> if (running.size < 3) start(SOURCES.random(), HOSTS.random())
            in 81..88 -> changeConsent(one)
            else -> time.advance((random.nextDouble() * 120_000).toLong())
        }
        // Without time, work that a call has left to the worker may meet a kill.
        if (random.nextBoolean()) time.advance((random.nextDouble() * 2_500).toLong())
    }

    private fun <T> List<T>.random(): T = this[random.nextInt(size)]

    private fun track(one: Running) {
        val name = "e${messages++}"
        if (one.client.track(name)) books.getValue(one.source).taken += name
    }

    private fun kill() {
        val one = running.random()
        one.end()
        running.remove(one)
    }

    private fun changeConsent(one: Running) {
        val next = Consent.values().toList().random()
        if (next == Consent.DENIED) {
            val books = books.getValue(one.source)
            books.erased += books.taken - books.confirmed
        }
        one.client.consent(next)
        // A kill between erasing and reporting would leave nobody to report.
        time.settle()
    }

    private fun start(source: String, host: String) {
        var isAlive = true
        val books = books.getValue(source)
        val worker = time.worker { isAlive }
        val queue = FiledQueue(FileBatchStore(File(folder, "queue"), JvmFolderSync), books)
        val values = FileValueStore(File(folder, "values"), source)
        val transport = Transport { request, done -> exchange(request, books, worker) { if (isAlive) done(it, IOException("cut").takeIf { _ -> it == null }) } }
        val ports = Ports(SdkName("test", "1"), worker, ids, values, queue, transport)
        val options = Options("k", source, host, flushInterval = 2_000, errorHandler = { books.reported += it.count ?: 0 })
        running += Running(Client(options, ports), source) { isAlive = false }
        time.settle()
    }

    private fun exchange(request: HttpRequest, books: Books, worker: Worker, done: (HttpAnswer?) -> Unit): Cancellation {
        val roll = if (isCalm) 1.0 else random.nextDouble()
        val server = servers.getValue(HOSTS.first { request.url.startsWith(it) })
        return worker.later((roll * 400).toLong()) {
            if (roll > 0.2) server.take(request)
            if (roll > 0.45) {
                books.confirmed += messagesOf(request).map(::nameOf)
                done(Taken)
            } else {
                done(null)
            }
        }
    }
}

private object Taken : HttpAnswer {
    override val status = 200
    override val body = """{"status":"QUEUED"}"""

    override fun header(name: String): String? = null
}

/** Knows which messages were in a file. */
private class FiledQueue(private val files: BatchStore, private val books: Books) : BatchStore by files {
    override fun append(batch: Batch, index: Int, text: String): Boolean =
        files.append(batch, index, text).also { if (it) books.filed += nameOf(parseJson(text) as Map<*, *>) }
}
