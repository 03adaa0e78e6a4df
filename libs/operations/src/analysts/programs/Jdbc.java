import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;

/** Reads every column of a query with ClickHouse's JDBC driver. Arguments: URL, user, password, query. */
public class Jdbc {
  public static void main(String[] arguments) throws Exception {
    try (Connection connection = DriverManager.getConnection(arguments[0], arguments[1], arguments[2]);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(arguments[3])) {
      int count = 0;
      int columns = rows.getMetaData().getColumnCount();
      while (rows.next()) {
        count++;
        for (int column = 1; column <= columns; column++) rows.getObject(column);
      }
      System.out.println(count + " rows of " + columns + " columns");
    }
  }
}
