package tech.sluice

import android.app.Application
import android.os.Looper
import java.io.File
import java.time.Duration
import java.util.concurrent.CopyOnWriteArrayList
import org.junit.After
import org.junit.Before
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config
import org.robolectric.shadows.ShadowSystemClock

/** An app on the framework of the lowest and the newest API level that run here, and a service. */
@RunWith(RobolectricTestRunner::class)
@Config(sdk = [23, 35])
abstract class AppTest {
    protected val service = TestService()
    protected val errors = CopyOnWriteArrayList<SluiceError>()
    protected val app: Application get() = RuntimeEnvironment.getApplication()
    protected val files: File get() = filesOf(app)

    @Before
    fun permit() {
        shadowOf(app).grantPermissions("android.permission.POST_NOTIFICATIONS", "android.permission.ACCESS_NETWORK_STATE")
    }

    @After
    fun end() {
        Sluice.forget()
        service.close()
    }

    protected fun create(configure: Configuration.() -> Unit = {}): Client =
        Sluice.create(
            app,
            Configuration("key-of-the-test", "Source000001", service.url) {
                errorHandler = ErrorHandler { errors += it }
                configure()
            },
        )

    /** Names of the files that hold batches. */
    protected fun batches(): List<String> = File(files, "queue").list().orEmpty().filter { it.endsWith(".batch") }

    /** Advances Robolectric's clock, so that waits of the queue are over. */
    protected fun passMinutes() {
        ShadowSystemClock.advanceBy(Duration.ofMinutes(10))
    }

    /** Waits until something is true, and lets the main thread work. */
    protected fun await(what: String, isTrue: () -> Boolean) {
        val end = System.nanoTime() + 30_000_000_000
        while (!isTrue()) {
            check(System.nanoTime() < end) { "$what does not happen; arrived ${service.arrived.map { it.uri + it.body }}, errors $errors" }
            shadowOf(Looper.getMainLooper()).idle()
            Thread.sleep(5)
        }
    }
}
